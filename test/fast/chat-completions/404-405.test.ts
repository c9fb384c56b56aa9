import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startServer } from '../../support/api-server.ts'

const server = await startServer()

describe('404: a path that is in no row of the table', () => {
  const paths = [
    '/v1',
    '/v1/',
    '/v1/chat',
    '/v1/chat/completions/',
    '/v1//chat/completions',
    '/v1/ch%61t/completions',
    '/V1/models',
    '/v2/models',
  ]
  for (const path of [
    ...paths,
    '/v1/models/',
    '/%zz',
    `/v1/models/${'a'.repeat(600)}/x`,
    '/.env',
    '/..%2f..%2fetc/passwd',
  ]) {
    test(path.slice(0, 40), async () => {
      for (const key of [undefined, null]) {
        const reply = await server.send(path, key === null ? { key } : {})
        equal(reply.status, 404, reply.text)
        deepEqual([reply.error().type, reply.error().param], ['not_found_error', null])
        match(String(reply.headers['x-request-id']), /^req_/)
      }
    })
  }
  test('/v1/responses points to chat completions', async () => {
    for (const method of ['POST', 'GET']) {
      const reply = await server.send('/v1/responses', { method, key: null })
      equal(reply.status, 404)
      match(reply.error().message, /\/v1\/chat\/completions/)
    }
  })
  test('a base URL without /v1 is told so', async () => {
    match((await server.send('/chat/completions', { method: 'POST' })).error().message, /add \/v1/)
  })
})

describe('405: a wrong method is told the right ones', () => {
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PURGE']) {
    test(`${method} /v1/chat/completions`, async () => {
      const reply = await server.send('/v1/chat/completions', { method, key: null })
      deepEqual([reply.status, reply.headers['allow']], [405, 'POST'])
      if (method !== 'HEAD') equal(reply.error().type, 'invalid_request_error')
    })
  }
  test('POST /v1/models', async () => {
    const reply = await server.send('/v1/models', { method: 'POST', body: '{}' })
    deepEqual([reply.status, reply.headers['allow']], [405, 'GET, HEAD'])
  })
  test('the query string does not matter', async () => {
    equal((await server.send('/v1/chat/completions?a=b', { method: 'GET' })).status, 405)
  })
})
