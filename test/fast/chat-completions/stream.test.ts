import { deepEqual, equal, match, ok } from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, test } from 'node:test'
import { startServer, type TestServer } from '../../support/api-server.ts'
import { eventsOf, say } from '../../support/https-client.ts'

const server = await startServer({ keepAliveS: 0.05 })

type Chunk = {
  id: string
  object: string
  created: number
  model: string
  choices: { index: number; delta: { role?: string; content?: string }; finish_reason: string | null }[]
  usage?: { total_tokens: number }
  diffusion?: { step: number; set: object[]; taken_back: number[]; masked: number[] }
  error?: { code: number; type: string }
}

const chunksOf = (text: string): Chunk[] =>
  eventsOf(text)
    .filter((event) => event !== '[DONE]')
    .map((event) => JSON.parse(event) as Chunk)

function openStream(to: TestServer, words: string, options: object = {}): Promise<IncomingMessage> {
  return to.open('/v1/chat/completions', {
    body: JSON.stringify({ model: 'Model', stream: true, ...say(words) }),
    ...options,
  })
}

describe('a streamed reply', () => {
  test('role first, then text, then the finish reason, then [DONE]', async () => {
    const reply = await server.chat({ stream: true, ...say('say a b c') })
    equal(reply.status, 200)
    const events = eventsOf(reply.text)
    equal(events.at(-1), '[DONE]')
    const chunks = chunksOf(reply.text)
    deepEqual(
      chunks.map((chunk) => chunk.choices[0]),
      [
        { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null },
        { index: 0, delta: { content: 'a' }, finish_reason: null },
        { index: 0, delta: { content: ' b' }, finish_reason: null },
        { index: 0, delta: { content: ' c' }, finish_reason: null },
        { index: 0, delta: { content: '' }, finish_reason: 'stop' },
      ],
    )
    for (const chunk of chunks) {
      match(chunk.id, /^chatcmpl-/)
      deepEqual(
        [chunk.id, chunk.object, chunk.created, chunk.model],
        [chunks[0]?.id, 'chat.completion.chunk', chunks[0]?.created, 'Model'],
      )
      equal('usage' in chunk || 'diffusion' in chunk, false)
    }
  })
  test('every line is `data: …` and a blank line', async () => {
    const { text } = await server.chat({ stream: true, ...say('say a\nb 😀') })
    match(text, /^(data: [^\n]+\n\n)+$/)
  })
  test('has the headers that keep proxies from holding it back', async () => {
    const { headers } = await server.chat({ stream: true }, { headers: { 'accept-encoding': 'gzip, br' } })
    equal(headers['content-type'], 'text/event-stream; charset=utf-8')
    equal(headers['cache-control'], 'no-cache, no-transform')
    equal(headers['x-accel-buffering'], 'no')
    equal(headers['content-encoding'], undefined)
    match(String(headers['x-request-id']), /^req_/)
  })
  test('ends with length at max_tokens', async () => {
    const { text } = await server.chat({ stream: true, max_tokens: 2, ...say('say a b c') })
    equal(chunksOf(text).at(-1)?.choices[0]?.finish_reason, 'length')
  })
  test('include_usage: one more chunk with usage and no choices', async () => {
    const { text } = await server.chat({ stream: true, stream_options: { include_usage: true } })
    const last = chunksOf(text).at(-1)
    deepEqual(last?.choices, [])
    equal(last?.usage?.total_tokens, 12)
    equal(chunksOf(text).filter((chunk) => 'usage' in chunk).length, 1)
  })
})

describe('diffusing', () => {
  test('each chunk tells how the reply is unmasked', async () => {
    const chunks = chunksOf((await server.chat({ stream: true, diffusing: true, ...say('steps') })).text)
    const told = chunks.slice(0, -1).map((chunk) => chunk.diffusion)
    equal(
      told.every((state) => state !== undefined),
      true,
    )
    deepEqual(told[1], {
      step: 1,
      set: [
        { position: 0, text: 'Hello', probability: 0.97 },
        { position: 2, text: ' the', probability: 0.97 },
      ],
      taken_back: [],
      masked: [1, 3],
    })
    deepEqual(told[2]?.taken_back, [2])
    deepEqual(told[3], { step: 2, set: [], taken_back: [], masked: [2, 3] })
    equal(server.engine.requests.at(-1)?.wantsSteps, true)
    equal(
      chunks.every((chunk) => typeof chunk.choices[0]?.delta.content === 'string'),
      true,
    )
  })
  test('without stream it does nothing', async () => {
    equal((await server.chat({ diffusing: true })).status, 200)
    equal(server.engine.requests.at(-1)?.wantsSteps, false)
  })
})

describe('a stream that is quiet', () => {
  test('is kept open by comments, which clients do not see', async () => {
    const leave = new AbortController()
    const response = await openStream(server, 'hang-later', { signal: leave.signal })
    let text = ''
    for await (const chunk of response) {
      text += String(chunk)
      if (text.split(': keep-alive\n\n').length > 3) break
    }
    leave.abort()
    ok(text.includes('\n\n: keep-alive\n\n'))
    await server.engine.idle()
  })
  test('is not held to the deadline of its first byte', async () => {
    const short = await startServer({ deadlineS: 0.1, keepAliveS: 0.05 })
    const leave = new AbortController()
    const response = await openStream(short, 'hang-later', { signal: leave.signal })
    let comments = 0
    for await (const chunk of response) {
      comments += String(chunk).split(': keep-alive').length - 1
      if (comments >= 5) break
    }
    equal(short.engine.running, 1)
    leave.abort()
  })
})

test('a failure in the middle is one error event and the end, without [DONE]; the call counts', async () => {
  server.accounts.add('um_live_half', {}, { day: 5, concurrent: 1 })
  const reply = await server.chat({ stream: true, ...say('fail-later engine_failed') }, { key: 'um_live_half' })
  equal(reply.status, 200)
  const events = eventsOf(reply.text)
  const last = JSON.parse(events.at(-1) ?? '') as Chunk
  deepEqual([last.error?.code, last.error?.type], [500, 'server_error'])
  equal(events.filter((event) => event.includes('"error"')).length, 1)
  equal(server.accounts.uses.at(-1)?.ended, 'settled')
  const line = server.lines.find((entry) => entry.fields['requestId'] === reply.headers['x-request-id'])
  deepEqual([line?.fields['outcome'], line?.fields['error']], ['failed', 'engine_failed'])
})

describe('a client that leaves frees its place at once', () => {
  const stages: [name: string, words: string, stream: boolean][] = [
    ['before the first forward', 'hang', true],
    ['in the middle of a stream', 'hang-later', true],
    ['while a plain reply is made', 'hang-later', false],
    ['while a plain reply waits', 'hang', false],
  ]
  for (const [name, words, stream] of stages) {
    test(`${name} (${stream ? 'stream' : 'plain'})`, async () => {
      const key = `um_live_${words}_${stream}`
      server.accounts.add(key, {}, { day: 5, concurrent: 1 })
      const leave = new AbortController()
      const begun = server.engine.nextRequest()
      const reply = server
        .chat({ stream, ...say(words) }, { key, signal: leave.signal })
        .catch((error: Error) => error.name)
      await begun
      if (name === 'in the middle of a stream') await new Promise((resolve) => setImmediate(resolve))
      leave.abort()
      equal(await reply, 'AbortError')
      await server.engine.idle()
      equal((await server.chat({}, { key })).status, 200, 'its place is free')
      const [left] = server.accounts.uses.filter((entry) => entry.use.outcome === 'cancelled').slice(-1)
      equal(left?.ended, 'settled', 'a call that the client cancelled counts')
    })
  }
  test('while its body is still on the way', async () => {
    const leave = new AbortController()
    const headers = { 'content-length': '1000' }
    const reply = server
      .chat({}, { body: '{"model":', headers, signal: leave.signal })
      .catch((error: Error) => error.name)
    await new Promise((resolve) => setImmediate(resolve))
    leave.abort()
    equal(await reply, 'AbortError')
    equal((await server.chat()).status, 200)
  })
})

test('a slow reader holds the writer back, and gets everything when it reads', async () => {
  const before = server.engine.pieces
  const body = JSON.stringify({ model: 'Model', stream: true, max_tokens: 8192, ...say('long 8192') })
  const response = await server.open('/v1/chat/completions', { body })
  response.pause()
  const made = await settled(() => server.engine.pieces - before)
  ok(made < 8192, `${made} of 8192 KiB were made for a reader that took nothing`)
  let bytes = 0
  for await (const chunk of response) bytes += (chunk as Buffer).length
  ok(bytes > 8192 * 1024)
})

/** The value once it has not changed for many turns of the event loop. */
async function settled(read: () => number): Promise<number> {
  let seen = read()
  for (let same = 0; same < 500; same++) {
    await new Promise((resolve) => setImmediate(resolve))
    if (read() === seen) continue
    seen = read()
    same = 0
  }
  return seen
}
