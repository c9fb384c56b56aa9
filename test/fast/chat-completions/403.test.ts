import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { ROUTES } from '../../../src/api/routes.ts'
import { startServer } from '../../support/api-server.ts'

const server = await startServer()
server.accounts.add('um_live_search', { scopes: ['search'] })
server.accounts.add('um_live_far', { addresses: ['192.0.2.1'] })
server.accounts.add('um_live_near', { addresses: ['127.0.0.1'] })

test('a key without the scope chat is told which scopes it has', async () => {
  const reply = await server.chat({}, { key: 'um_live_search' })
  deepEqual([reply.status, reply.error().type], [403, 'permission_error'])
  match(reply.error().message, /lacks the scope chat \(it has: search\)/)
})

test('an address outside the list of the key is refused, one inside is served', async () => {
  const reply = await server.chat({}, { key: 'um_live_far' })
  deepEqual([reply.status, reply.error().type], [403, 'permission_error'])
  equal((await server.chat({}, { key: 'um_live_near' })).status, 200)
})

test('the list of a key holds on every route that needs a key', async () => {
  for (const { path, method } of ROUTES.filter(({ who }) => who === 'key')) {
    const url = path.replaceAll(/:\w+/g, 'Model')
    const body = JSON.stringify({ model: 'Model', messages: [{ role: 'user', content: 'a' }], query: 'a' })
    const reply = await server.send(url, { method, key: 'um_live_far', ...(method === 'POST' ? { body } : {}) })
    equal(reply.status, 403, path)
  }
})

test('X-Forwarded-For of a stranger is not believed', async () => {
  const reply = await server.chat({}, { key: 'um_live_far', headers: { 'x-forwarded-for': '192.0.2.1' } })
  equal(reply.status, 403)
})

test('X-Forwarded-For of a trusted proxy is', async () => {
  const behind = await startServer({ trustedProxies: ['127.0.0.0/8'] })
  behind.accounts.add('um_live_far', { addresses: ['192.0.2.1'] })
  const from = async (chain: string) =>
    (await behind.chat({}, { key: 'um_live_far', headers: { 'x-forwarded-for': chain } })).status
  equal(await from('192.0.2.1'), 200)
  equal(await from('192.0.2.1, 198.51.100.7'), 403, 'what stands left of the first stranger is his own word')
})
