import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startServer } from '../../support/api-server.ts'

const closed = await startServer()
const open = await startServer({ corsOrigins: ['https://app.example.org'] })
const preflight = { method: 'OPTIONS', key: null, headers: { 'access-control-request-method': 'POST' } }
const from = (origin: string) => ({ ...preflight, headers: { ...preflight.headers, origin } })

describe('CORS', () => {
  test('is off by default: no header, and OPTIONS is a wrong method', async () => {
    const reply = await closed.send('/v1/chat/completions', from('https://app.example.org'))
    deepEqual([reply.status, reply.headers['access-control-allow-origin']], [405, undefined])
  })
  test('a listed origin may ask, call and read the headers, also of errors', async () => {
    const asked = { ...from('https://app.example.org') }
    const reply = await open.send('/v1/chat/completions', {
      ...asked,
      headers: { ...asked.headers, 'access-control-request-headers': 'authorization,content-type,x-stainless-lang' },
    })
    equal(reply.status, 204)
    equal(reply.headers['access-control-allow-origin'], 'https://app.example.org')
    equal(reply.headers['access-control-allow-methods'], 'POST')
    equal(reply.headers['access-control-allow-headers'], 'authorization,content-type,x-stainless-lang')
    equal(reply.headers['access-control-allow-credentials'], undefined)
    for (const key of [undefined, 'wrong']) {
      const headers = { origin: 'https://app.example.org' }
      for (const stream of [true, false]) {
        const called = await open.chat({ stream }, { ...(key === undefined ? {} : { key }), headers })
        equal(called.headers['access-control-allow-origin'], 'https://app.example.org')
        match(String(called.headers['access-control-expose-headers']), /x-request-id/)
        equal(called.headers['vary'], 'Origin')
      }
    }
  })
  test('others may not', async () => {
    for (const origin of [
      'https://evil.example',
      'https://app.example.org.evil.example',
      'null',
      'http://app.example.org',
    ]) {
      const reply = await open.send('/v1/chat/completions', from(origin))
      deepEqual([reply.status, reply.headers['access-control-allow-origin']], [405, undefined])
    }
  })
})
