import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startServer } from '../../support/api-server.ts'

const server = await startServer()
server.accounts.add('um_live_spent', { scopes: ['chat'] }, { day: 0, concurrent: 1 })
server.accounts.add('um_live_nothing', { scopes: ['search'], addresses: ['192.0.2.1'] }, { day: 0, concurrent: 1 })

/** Each call has every fault from its own on; the first in the order of the contract answers. */
const bad = '{"model":"Model","messages":[],"max_tokens":0}'
const large = 'x'.repeat(4 * 1024 * 1024 + 1)
const good = '{"model":"Model","messages":[{"role":"user","content":"a"}]}'

const ORDER: [status: number, name: string, path: string, options: object][] = [
  [
    404,
    'unknown path before all',
    '/v1/nothing',
    { method: 'PUT', key: 'wrong', body: large, headers: { 'content-type': 'a/b' } },
  ],
  [405, 'method before key', '/v1/chat/completions', { method: 'PUT', key: 'wrong', body: large }],
  [
    401,
    'key before content type and size',
    '/v1/chat/completions',
    { key: 'wrong', body: large, headers: { 'content-type': 'a/b' } },
  ],
  [
    415,
    'content type before size',
    '/v1/chat/completions',
    { key: 'um_live_nothing', body: large, headers: { 'content-type': 'a/b' } },
  ],
  [413, 'size before body', '/v1/chat/completions', { key: 'um_live_nothing', body: large }],
  [400, 'body before scope', '/v1/chat/completions', { key: 'um_live_nothing', body: bad }],
  [400, 'model before scope', '/v1/chat/completions', { key: 'um_live_nothing', body: good.replace('Model', 'x') }],
  [403, 'scope before limits', '/v1/chat/completions', { key: 'um_live_nothing', body: good }],
  [429, 'limits last', '/v1/chat/completions', { key: 'um_live_spent', body: good }],
]

describe('the order of checks', () => {
  for (const [status, name, path, options] of ORDER) {
    test(`${status}: ${name}`, async () => {
      equal((await server.send(path, options)).status, status)
    })
  }
})
