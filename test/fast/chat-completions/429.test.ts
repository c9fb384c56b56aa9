import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KEY, startServer } from '../../support/api-server.ts'
import { say } from '../../support/https-client.ts'

const server = await startServer()

describe('429: the account has spent its share', () => {
  test('of a minute: wait, in seconds and in milliseconds', async () => {
    server.accounts.add('um_live_minute', {}, { minute: 1, day: 10, concurrent: 2 })
    const first = await server.chat({}, { key: 'um_live_minute' })
    equal(first.status, 200)
    deepEqual(limitsOf(first.headers), ['1', '0', '13', '10', '9', '40000'])
    const { status, headers, error } = await again('um_live_minute')
    deepEqual(
      [status, error.type, headers['retry-after'], headers['retry-after-ms']],
      [429, 'rate_limit_error', '13', '12345'],
    )
    equal(headers['x-should-retry'], undefined)
    deepEqual(limitsOf(headers), ['1', '0', '13', '10', '9', '40000'])
    match(error.message, /1 a minute.*13 s/)
  })
  test('of a day: do not retry', async () => {
    server.accounts.add('um_live_day', {}, { day: 1, concurrent: 2 })
    equal((await server.chat({}, { key: 'um_live_day' })).status, 200)
    const { status, headers, error } = await again('um_live_day')
    deepEqual([status, headers['retry-after'], headers['x-should-retry']], [429, '40000', 'false'])
    match(error.message, /1 calls of this day/)
    deepEqual(limitsOf(headers), [undefined, undefined, undefined, '1', '0', '40000'])
  })
  test('of calls at once: retry after 1 s, and the place is free when one has gone', async () => {
    server.accounts.add('um_live_two', {}, { concurrent: 2 })
    const leave = new AbortController()
    const body = JSON.stringify({ model: 'Model', stream: true, ...say('hang-later') })
    const open = () => server.open('/v1/chat/completions', { key: 'um_live_two', body, signal: leave.signal })
    const streams = await Promise.all([open(), open()])
    const { status, headers, error } = await again('um_live_two')
    deepEqual([status, headers['retry-after']], [429, '1'])
    match(error.message, /2 are allowed/)
    for (const stream of streams) stream.on('error', () => undefined)
    leave.abort()
    await server.engine.idle()
    equal((await server.chat({}, { key: 'um_live_two' })).status, 200)
  })
})

describe('429: the engine is busy', () => {
  for (const stream of [false, true]) {
    test(`the engine tells how long to wait (stream: ${stream})`, async () => {
      const reply = await server.chat({ ...say('fail overloaded 7.2'), stream })
      deepEqual([reply.status, reply.error().type], [429, 'rate_limit_error'])
      deepEqual([reply.headers['retry-after'], reply.headers['retry-after-ms']], ['8', '7200'])
    })
  }
  test('is not counted against the day', async () => {
    server.accounts.add('um_live_busy', {}, { day: 1, concurrent: 1 })
    equal((await server.chat(say('fail overloaded 1'), { key: 'um_live_busy' })).status, 429)
    equal((await server.chat({}, { key: 'um_live_busy' })).status, 200)
  })
})

test('every answer to a key tells its counters, errors too; those without a key do not', async () => {
  server.accounts.add('um_live_seen', {}, { minute: 9, day: 10, concurrent: 1 })
  const key = 'um_live_seen'
  const seen = ['9', '9', '13', '10', '10', '40000']
  deepEqual(limitsOf((await server.send('/v1/models', { key })).headers), seen)
  deepEqual(limitsOf((await server.send('/v1/key', { key })).headers), seen)
  deepEqual(limitsOf((await server.chat({ max_tokens: 0 }, { key })).headers), seen)
  deepEqual(limitsOf((await server.chat({}, { key, headers: { 'content-type': 'text/plain' } })).headers), seen)
  equal((await server.send('/healthz', { key: null })).headers['x-ratelimit-limit-requests'], undefined)
  const streamed = await server.chat({ stream: true }, { key })
  deepEqual(limitsOf(streamed.headers), ['9', '8', '13', '10', '9', '40000'], 'one was spent')
})

test('a flood on a route without a package limit is stopped by the table', async () => {
  const flooded = await startServer()
  const statuses = new Map<number, number>()
  for (let i = 0; i < 61; i++) {
    const replies = await Promise.all(Array.from({ length: 10 }, () => flooded.send('/v1/key', { key: KEY })))
    for (const { status } of replies) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  // 610 calls against 600 a minute; at most one turn of the minute can fall between them.
  equal(
    [...statuses.keys()].every((status) => status === 200 || status === 429),
    true,
  )
  equal((statuses.get(200) ?? 0) >= 600, true)
})

async function again(key: string) {
  const reply = await server.chat({}, { key })
  return { status: reply.status, headers: reply.headers, error: reply.error() }
}

function limitsOf(headers: Record<string, string | string[] | undefined>) {
  return ['', '-day'].flatMap((end) =>
    ['limit', 'remaining', 'reset'].map((of) => headers[`x-ratelimit-${of}-requests${end}`]),
  )
}
