import { deepEqual, equal, match } from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpsRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { describe, test } from 'node:test'
import { KEY, startServer } from '../../support/api-server.ts'
import { say } from '../../support/https-client.ts'

const server = await startServer()
const LIMIT = 4 * 1024 * 1024

/** A valid request of exactly so many bytes. */
function bodyOf(bytes: number): string {
  const body = JSON.stringify({ model: 'Model', ...say('') })
  return body.replace('"content":""', `"content":"${'a'.repeat(bytes - body.length)}"`)
}

describe('413: the body limit of 4 MiB', () => {
  test('exactly 4 MiB are served', async () => {
    equal((await server.chat({}, { body: bodyOf(LIMIT) })).status, 200)
  })
  test('one byte more is refused with `Request failed.`', async () => {
    const reply = await server.chat({}, { body: bodyOf(LIMIT + 1) })
    const error = reply.error()
    deepEqual([reply.status, error.code, error.message], [413, 413, 'Request failed.'])
    match(error.detail ?? '', /4194304/)
  })
  test('a body without a length is refused when it has grown too large', async () => {
    const request = httpsRequest(new URL('/v1/chat/completions', server.target.baseUrl), {
      method: 'POST',
      ca: server.target.ca,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    })
    const answered = once(request, 'response') as Promise<[IncomingMessage]>
    for (let sent = 0; sent <= LIMIT; sent += 65_536) {
      if (!request.write('a'.repeat(65_536))) await Promise.race([once(request, 'drain'), answered])
    }
    request.end()
    const [response] = await answered
    equal(response.statusCode, 413)
    response.resume()
    await once(response, 'end')
  })
})

describe('415: the body is JSON in UTF-8, as it is', () => {
  const refused = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=iso-8859-1',
    'json',
    '',
  ]
  for (const type of refused) {
    test(`"${type}" is refused`, async () => {
      const reply = await server.chat({}, { headers: { 'content-type': type } })
      deepEqual([reply.status, reply.error().type], [415, 'invalid_request_error'])
      match(reply.error().message, /application\/json/)
    })
  }
  test('a missing Content-Type is refused', async () => {
    const reply = await server.send('/v1/chat/completions', { method: 'POST' })
    equal(reply.status, 415)
  })
  test('a compressed body is refused', async () => {
    equal((await server.chat({}, { headers: { 'content-encoding': 'gzip' } })).status, 415)
  })
  for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
    test(`"${type}" is read`, async () => {
      equal((await server.chat({}, { headers: { 'content-type': type } })).status, 200)
    })
  }
})
