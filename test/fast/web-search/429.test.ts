import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../../support/api-server.ts'
import { searchWeb } from '../../support/web-search.ts'

const server = await startServer({ keylessPerMinute: 3 })

test('a key has the search limits of its account', async () => {
  server.accounts.add('um_live_minute', { scopes: ['search'] }, { minute: 1, day: 10, concurrent: 2 })
  const first = await searchWeb(server, {}, { key: 'um_live_minute' })
  deepEqual([first.status, first.headers['x-ratelimit-remaining-requests']], [200, '0'])
  const second = await searchWeb(server, {}, { key: 'um_live_minute' })
  deepEqual(
    [second.status, second.error().type, second.headers['retry-after'], second.headers['retry-after-ms']],
    [429, 'rate_limit_error', '13', '12345'],
  )
  equal(second.json<{ code: string }>().code, '429')
})

test('a call more at once than the account may is told to wait a second', async () => {
  server.accounts.add('um_live_one', { scopes: ['search'] }, { concurrent: 1 })
  const held = Promise.withResolvers<void>()
  server.search.hold = held.promise
  const running = searchWeb(server, {}, { key: 'um_live_one' })
  while (server.accounts.limits(server.accounts.keyOf('um_live_one'), 'search').concurrent.running === 0)
    await new Promise(setImmediate)
  const second = await searchWeb(server, {}, { key: 'um_live_one' })
  deepEqual([second.status, second.headers['retry-after']], [429, '1'])
  held.resolve()
  server.search.hold = undefined
  equal((await running).status, 200)
})

test('without a key all the ways to search share one strict limit of the address', async () => {
  const paths = ['/api/web-search?query=sea', '/search?q=sea', '/api/v1/images?query=wave', '/api/v1/videos?query=sea']
  const replies = []
  for (const path of paths) replies.push(await server.send(path, { key: null }))
  deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200, 429],
  )
  const last = replies.at(-1)
  ok(Number(last?.headers['retry-after']) >= 1 && Number(last?.headers['retry-after']) <= 60)
  equal(last?.json<{ _type: string }>()._type, 'ErrorResponse')
  equal((await server.send('/docs/', { key: null })).status, 200, 'reading the manual goes on')
  equal((await searchWeb(server)).status, 200, 'keys are not touched by it')
})

test('a client that leaves frees its place and pays', async () => {
  server.accounts.add('um_live_leaver', { scopes: ['search'] }, { concurrent: 1 })
  server.search.hold = new Promise(() => undefined)
  const leave = new AbortController()
  const running = searchWeb(server, {}, { key: 'um_live_leaver', signal: leave.signal })
  while (
    server.search.asked.length < 1 ||
    server.accounts.limits(server.accounts.keyOf('um_live_leaver'), 'search').concurrent.running === 0
  )
    await new Promise(setImmediate)
  leave.abort()
  await running.catch(() => undefined)
  const key = server.accounts.keyOf('um_live_leaver')
  while (server.accounts.limits(key, 'search').concurrent.running > 0) await new Promise(setImmediate)
  server.search.hold = undefined
  const use = server.accounts.uses.findLast(({ keyId }) => keyId === key.id)
  deepEqual([use?.ended, use?.use.outcome], ['settled', 'cancelled'])
})
