import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ROUTES } from '../../../src/api/routes.ts'
import { startServer } from '../../support/api-server.ts'

const server = await startServer()

describe('everything is denied without a key, unless the table says public', () => {
  const MANUAL = ['/docs', '/docs/', '/docs/:page', '/docs/:page/', '/docs/feed.xml', '/docs/media/:file']
  const PUBLIC = ['/', '/ca.pem', '/docs/api', '/docs/api/', '/docs/icon.svg', '/docs/style.css', ...MANUAL]
  const SEARCH = ['/search/style.css', '/search/keys.js', '/search/opensearch.xml']
  const MACHINES = ['/healthz', '/openapi.json', '/readyz', '/robots.txt', '/sitemap.xml']
  test('the public ones are these and no others', () => {
    const found = ROUTES.filter((route) => route.who === 'public').map((route) => route.path)
    deepEqual(found.toSorted(), [...PUBLIC, ...SEARCH, ...MACHINES].toSorted())
  })
  for (const route of ROUTES) {
    test(`${route.method} ${route.path}: ${route.who}`, async () => {
      const path = route.path
        .replace(':page', 'configuration')
        .replace(':file', 'manual.css')
        .replaceAll(/:\w+/g, 'Model')
      const reply = await server.send(path, { method: route.method, key: null })
      if (route.who === 'key') equal(reply.status, 401)
      // What is looked for is missing; without the right to look it would be 401.
      else if (route.who === 'open') ok([200, 400, 404].includes(reply.status), reply.text)
      else ok(reply.status === 200 || reply.status === 308, reply.text)
      match(String(reply.headers['x-request-id']), /^req_/)
      equal(reply.headers['x-content-type-options'], 'nosniff')
      ok(reply.headers['content-security-policy'])
    })
  }
  test('public routes have a limit of their own', () => {
    for (const route of ROUTES.filter(({ who }) => who === 'public')) ok(route.perMinute < Infinity, route.path)
  })
  test('HEAD is answered where GET is', async () => {
    const reply = await server.send('/v1/models', { method: 'HEAD' })
    deepEqual([reply.status, reply.text], [200, ''])
  })
})

describe('models', () => {
  test('are listed with the two ids of the contract', async () => {
    const list = (await server.send('/v1/models')).json<{
      object: string
      data: { id: string; object: string; created: number }[]
    }>()
    equal(list.object, 'list')
    deepEqual(
      list.data.map(({ id, object }) => [id, object]),
      [
        ['Model', 'model'],
        ['Model-MoE', 'model'],
      ],
    )
    ok(list.data.every(({ created }) => Number.isInteger(created)))
  })
  test('one can be asked for; an unknown one is 404 with the known ones', async () => {
    equal((await server.send('/v1/models/Model-MoE')).json<{ id: string }>().id, 'Model-MoE')
    const reply = await server.send('/v1/models/gpt%2F9')
    deepEqual([reply.status, reply.error().type, reply.error().param], [404, 'not_found_error', 'model'])
    match(reply.error().message, /"gpt\/9"; there are: Model, Model-MoE/)
  })
})

test('a key is told its own limits and use, and not its secret', async () => {
  server.accounts.add('um_live_report', { expiresAt: 1_900_000_000_500 }, { minute: 20, day: 1000, concurrent: 2 })
  await server.chat({}, { key: 'um_live_report' })
  const reply = await server.send('/v1/key', { key: 'um_live_report' })
  equal(reply.status, 200)
  const report = reply.json<{
    expires: number
    limits: { chat: { minute: object; day: object; concurrent: object } }
    used_today: { chat: number }
  }>()
  equal(report.expires, 1_900_000_000)
  deepEqual(report.limits.chat.minute, { limit: 20, remaining: 19, reset_s: 13 })
  deepEqual(report.limits.chat.concurrent, { limit: 2, running: 0 })
  equal(report.used_today.chat, 1)
})

describe('healthz and readyz', () => {
  test('need no key and tell nothing secret', async () => {
    equal((await server.send('/healthz', { key: null })).text, '{"status":"ok"}')
    equal((await server.send('/readyz', { key: null })).text, '{"status":"ready"}')
  })
  test('readyz is 503 with the error object while the engine is not ready; healthz stays 200', async () => {
    server.engine.state = 'restarting'
    const reply = await server.send('/readyz', { key: null })
    deepEqual([reply.status, reply.error().type], [503, 'server_error'])
    equal((await server.send('/healthz', { key: null })).status, 200)
    server.engine.state = 'ready'
  })
})
