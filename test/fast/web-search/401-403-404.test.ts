import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KEY, SEARCH_KEY, startServer } from '../../support/api-server.ts'
import { searchWeb } from '../../support/web-search.ts'

const server = await startServer()
const closed = await startServer({ keylessSearch: 'off' })
const OPEN = ['/api/web-search?query=sea', '/api/v1/images?query=wave', '/api/v1/videos?query=motion', '/search?q=sea']

type Body = { _type: string; code: string; message: string; log_id: string }

describe('401: who calls', () => {
  for (const path of ['/api/web-search', '/v1/web-search']) {
    test(`POST ${path} needs a key, wherever the server listens`, async () => {
      for (const key of [null, 'um_live_unknown']) {
        const reply = await server.send(path, { key, body: '{"query":"sea"}' })
        deepEqual([reply.status, reply.error().type], [401, 'authentication_error'])
        const { _type, code, message, log_id } = reply.json<Body>()
        deepEqual([_type, code, message], ['ErrorResponse', '401', reply.error().message])
        equal(log_id, reply.headers['x-request-id'])
        match(String(reply.headers['www-authenticate']), /Bearer/)
      }
    })
  }
  test('GET needs none on loopback, and one where the operator says so', async () => {
    for (const path of OPEN) {
      equal((await server.send(path, { key: null })).status, 200, path)
      equal((await closed.send(path, { key: null })).status, 401, path)
      equal((await closed.send(path, { key: 'um_live_unknown' })).status, 401, path)
      equal((await closed.send(path, { key: SEARCH_KEY })).status, 200, path)
    }
  })
  test('a wrong key is refused even where none is needed', async () => {
    equal((await server.send('/api/web-search?query=sea', { key: 'um_live_unknown' })).status, 401)
  })
  test('stored copies and pictures follow the same rule', async () => {
    for (const path of ['/copy/1', '/thumb/x?url=y', '/icon/x?url=y']) {
      equal((await server.send(path, { key: null })).status, 404, path)
      equal((await closed.send(path, { key: null })).status, 401, path)
    }
  })
  test('a server that others can reach asks for a key unless its operator opens it', async () => {
    const reachable = await startServer({ host: '0.0.0.0' })
    equal((await reachable.send('/api/web-search?query=sea', { key: null })).status, 401)
    const opened = await startServer({ host: '0.0.0.0', keylessSearch: 'on' })
    equal((await opened.send('/api/web-search?query=sea', { key: null })).status, 200)
  })
})

describe('403: may they', () => {
  test('a key without the scope search', async () => {
    const reply = await searchWeb(server, {}, { key: KEY })
    deepEqual([reply.status, reply.error().type], [403, 'permission_error'])
    match(reply.error().message, /lacks the scope search \(it has: chat\)/)
    equal(reply.json<Body>()._type, 'ErrorResponse')
    equal((await server.send('/api/web-search?query=sea', { key: KEY })).status, 403)
  })
  test('an address outside the list of the key', async () => {
    server.accounts.add('um_live_far', { scopes: ['search'], addresses: ['192.0.2.1'] })
    equal((await searchWeb(server, {}, { key: 'um_live_far' })).status, 403)
    equal((await server.send('/copy/1', { key: 'um_live_far' })).status, 403)
  })
})

describe('404 and 405', () => {
  test('an unknown path, in the form of its neighbours', async () => {
    const reply = await server.send('/api/web-search/more', { key: SEARCH_KEY })
    deepEqual([reply.status, reply.error().type], [404, 'not_found_error'])
  })
  test('a method that is not there', async () => {
    const reply = await server.send('/api/web-search', { method: 'PUT', key: SEARCH_KEY })
    deepEqual([reply.status, reply.headers.allow], [405, 'POST, GET, HEAD'])
    ok(reply.json<Body>().log_id)
  })
  test('415 and 413 come before the body is read', async () => {
    equal((await searchWeb(server, {}, { headers: { 'content-type': 'text/plain' } })).status, 415)
    equal((await searchWeb(server, { query: 'x'.repeat(5_000_000) })).status, 413)
  })
})
