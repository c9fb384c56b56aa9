import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { GenerateRequest } from '../../../src/engine/messages.ts'
import { KEY, startServer } from '../../support/api-server.ts'
import { eventsOf, say } from '../../support/https-client.ts'

const server = await startServer()

type Completion = {
  id: string
  object: string
  created: number
  model: string
  choices: { index: number; message: { role: string; content: string }; finish_reason: string }[]
  usage: {
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
    completion_tokens_details: { steps: number; tokens_per_step: number }
  }
}

/** What the engine was asked for after a chat with these fields, which must have been answered with 200. */
async function asked(fields: object, options = {}): Promise<GenerateRequest> {
  const reply = await server.chat(fields, options)
  equal(reply.status, 200, reply.text)
  const request = server.engine.requests.at(-1)
  ok(request)
  return request
}

describe('a plain reply', () => {
  test('is one chat.completion object with every field of the contract', async () => {
    const before = Math.floor(Date.now() / 1000)
    const reply = await server.chat()
    equal(reply.status, 200)
    equal(reply.headers['content-type'], 'application/json; charset=utf-8')
    const body = reply.json<Completion>()
    match(body.id, /^chatcmpl-[0-9A-Za-z]+$/)
    equal(body.object, 'chat.completion')
    ok(body.created >= before && body.created <= before + 5)
    equal(body.model, 'Model')
    const message = { role: 'assistant', content: 'Hello from the scripted engine.' }
    deepEqual(body.choices, [{ index: 0, message, finish_reason: 'stop' }])
    deepEqual(body.usage, {
      prompt_tokens: 6,
      completion_tokens: 6,
      total_tokens: 12,
      completion_tokens_details: { steps: 3, tokens_per_step: 2 },
    })
  })
  test('has an id of its own', async () => {
    const ids = await Promise.all(
      [server.chat(), server.chat()].map(async (reply) => (await reply).json<Completion>().id),
    )
    notEqual(ids[0], ids[1])
  })
  test('comes when stream is false or null as well', async () => {
    for (const stream of [false, null])
      equal((await server.chat({ stream })).json<Completion>().object, 'chat.completion')
  })
  test('ends with length at max_tokens', async () => {
    const body = (await server.chat({ ...say('say a b c d'), max_tokens: 2 })).json<Completion>()
    deepEqual([body.choices[0]?.message.content, body.choices[0]?.finish_reason], ['a b', 'length'])
    equal(body.usage.completion_tokens, 2)
  })
  test('carries x-request-id and the hardening headers', async () => {
    const { headers } = await server.chat({}, { headers: { 'x-request-id': 'mine' } })
    match(String(headers['x-request-id']), /^req_[0-9A-Za-z]{20}$/)
    equal(headers['x-content-type-options'], 'nosniff')
    equal(headers['cache-control'], 'no-store')
    equal(headers['access-control-allow-origin'], undefined)
    equal(headers['server'] ?? headers['x-powered-by'], undefined)
  })
  test('is logged in one line without prompt, reply or key', async () => {
    const reply = await server.chat(say('say a-secret-thing'))
    const lines = server.lines.filter((line) => line.fields['requestId'] === reply.headers['x-request-id'])
    equal(lines.length, 1)
    const { status, route, promptTokens, completionTokens, steps, outcome } = lines[0]?.fields ?? {}
    deepEqual([status, route, outcome], [200, '/v1/chat/completions', 'served'])
    ok(promptTokens && completionTokens && steps)
    const text = JSON.stringify(server.lines)
    ok(!text.includes('a-secret-thing') && !text.includes(KEY))
  })
})

describe('defaults', () => {
  test('reach the engine: 512 tokens, temperature 0.7, top_p 0.8, no stop', async () => {
    const { tokensMax, temperature, topP, stop, wantsSteps, streaming } = await asked({})
    deepEqual([tokensMax, temperature, topP, stop, wantsSteps, streaming], [512, 0.7, 0.8, [], false, false])
  })
  test('null is as if absent, for every optional field', async () => {
    const names = ['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'stop', 'seed', 'user', 'stream', 'n']
    const more = ['stream_options', 'diffusing', 'tools', 'tool_choice', 'logprobs', 'response_format', 'logit_bias']
    const { tokensMax, temperature, topP } = await asked(
      Object.fromEntries([...names, ...more].map((name) => [name, null])),
    )
    deepEqual([tokensMax, temperature, topP], [512, 0.7, 0.8])
  })
  test('the deadline is 240 s away', async () => {
    const { deadlineAt } = await asked({})
    ok(Math.abs(deadlineAt - Date.now() - 240_000) < 5000)
  })
  test('a request without a seed gets a different one each time', async () => {
    notEqual((await asked({})).seed, (await asked({})).seed)
  })
})

describe('every value inside its range is accepted', () => {
  const cases: [field: string, values: number[], read: (request: GenerateRequest) => number][] = [
    ['max_tokens', [1, 2, 8191, 8192], (request) => request.tokensMax],
    ['max_completion_tokens', [1, 2, 8191, 8192], (request) => request.tokensMax],
    ['temperature', [0.1, 0.11, 0.5, 0.99, 1], (request) => request.temperature],
    ['top_p', [0.1, 0.11, 0.5, 0.99, 1], (request) => request.topP],
    ['seed', [Number.MIN_SAFE_INTEGER, -1, 0, 42, Number.MAX_SAFE_INTEGER], (request) => request.seed],
  ]
  for (const [field, values, read] of cases) {
    test(`${field}: ${values.join(', ')}`, async () => {
      for (const value of values) equal(read(await asked({ [field]: value })), value)
    })
  }
  test('temperature and top_p stand together', async () => {
    const { temperature, topP } = await asked({ temperature: 0.1, top_p: 1 })
    deepEqual([temperature, topP], [0.1, 1])
  })
  test('max_tokens and max_completion_tokens may both be there when they are equal', async () => {
    equal((await asked({ max_tokens: 7, max_completion_tokens: 7 })).tokensMax, 7)
  })
  test('stop: a string, up to four of them, or none', async () => {
    deepEqual((await asked({ stop: 'END' })).stop, ['END'])
    deepEqual((await asked({ stop: ['a', 'b', 'c', '\n'] })).stop, ['a', 'b', 'c', '\n'])
    deepEqual((await asked({ stop: [] })).stop, [])
  })
  test('Model and Model-MoE', async () => {
    for (const model of ['Model', 'Model-MoE']) equal((await asked({ model })).model, model)
  })
  test('unknown fields are ignored', async () => {
    await asked({ metadata: { a: 1 }, top_k: 20, store: true, reasoning_effort: 'low', service_tier: 'auto', x: [[]] })
  })
  test('neutral values of fields that we cannot honour', async () => {
    await asked({
      n: 1,
      tools: [],
      tool_choice: 'auto',
      functions: [],
      function_call: 'none',
      frequency_penalty: 0,
      presence_penalty: 0,
      logprobs: false,
      top_logprobs: 0,
      logit_bias: {},
      response_format: { type: 'text' },
      modalities: ['text'],
      parallel_tool_calls: true,
    })
  })
  test('stream_options without a stream has no effect', async () => {
    await asked({ stream_options: { include_usage: true } })
  })
})

describe('messages', () => {
  test('every role, in any order; developer is system', async () => {
    const roles = ['assistant', 'tool', 'user', 'developer', 'system', 'user']
    const { turns } = await asked({ messages: roles.map((role) => ({ role, content: role })) })
    deepEqual(
      turns.map((turn) => turn.role),
      ['assistant', 'tool', 'user', 'system', 'system', 'user'],
    )
  })
  test('text parts are joined by line breaks', async () => {
    const content = [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ]
    equal((await asked({ messages: [{ role: 'user', content }] })).turns[0]?.text, 'one\ntwo')
  })
  test('an assistant may have said nothing: content null or left out', async () => {
    const { turns } = await asked({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: null, tool_calls: [] },
        { role: 'assistant' },
        { role: 'tool', content: 'b', tool_call_id: 'x' },
        { role: 'user', content: '' },
      ],
    })
    deepEqual(
      turns.map((turn) => turn.text),
      ['a', '', '', 'b', ''],
    )
  })
  test('text passes unchanged: line breaks, tabs, emoji, right-to-left, U+FFFD, U+007F', async () => {
    const text = 'a\n\r\n\tb 😀 שלום 漢字 \ufffd \u007f \u0085'
    equal((await asked(say(text))).turns[0]?.text, text)
  })
  test('a prompt of 1 MB arrives whole', async () => {
    const text = 'wörd '.repeat(175_000)
    equal((await asked(say(text))).turns[0]?.text, text)
  })
})

describe('accounts', () => {
  test('a served call is settled before its answer ends, with its use and the user it names', async () => {
    server.accounts.add('um_live_once', {}, { concurrent: 1 })
    for (let i = 0; i < 5; i++) {
      const reply = await server.chat({ user: 'someone' }, { key: 'um_live_once' })
      equal(reply.status, 200, 'the place of the call before is free again')
    }
    const last = server.accounts.uses.at(-1)
    deepEqual([last?.ended, last?.use.user, last?.use.status, last?.use.outcome], ['settled', 'someone', 200, 'served'])
    deepEqual([last?.use.promptTokens, last?.use.completionTokens, last?.use.steps], [6, 6, 3])
  })
  test('100 keys at once each get their own reply', async () => {
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, i) => {
        server.accounts.add(`um_live_many${i}`, { accountId: `many${i}` })
        return server.chat({ ...say(`say reply ${i}`), stream: i % 2 === 0 }, { key: `um_live_many${i}` })
      }),
    )
    replies.forEach((reply, i) => {
      equal(reply.status, 200)
      const text =
        i % 2 === 0
          ? eventsOf(reply.text)
              .slice(0, -1)
              .map(
                (event) =>
                  (JSON.parse(event) as { choices: { delta: { content: string } }[] }).choices[0]?.delta.content,
              )
              .join('')
          : reply.json<Completion>().choices[0]?.message.content
      equal(text, `reply ${i}`)
    })
    const owners = new Set(server.engine.requests.map((request) => request.owner))
    ok(Array.from({ length: 100 }, (_, i) => `many${i}`).every((owner) => owners.has(owner)))
  })
})

describe('outOfRangeSampling: clamp', async () => {
  const clamping = await startServer({ outOfRangeSampling: 'clamp' })
  test('moves 0 ≤ t < 0.1 and 1 < x ≤ 2 into the range and says so', async () => {
    const cases = [
      { fields: { temperature: 0 }, told: 'temperature=0.1', temperature: 0.1, topP: 0.8 },
      { fields: { temperature: 0.09 }, told: 'temperature=0.1', temperature: 0.1, topP: 0.8 },
      { fields: { temperature: 2, top_p: 0 }, told: 'temperature=1, top_p=0.1', temperature: 1, topP: 0.1 },
      { fields: { top_p: 1.01 }, told: 'top_p=1', temperature: 0.7, topP: 1 },
      { fields: { temperature: 0.1, top_p: 1 }, told: undefined, temperature: 0.1, topP: 1 },
    ]
    for (const { fields, told, temperature, topP } of cases) {
      for (const stream of [false, true]) {
        const reply = await clamping.chat({ ...fields, stream })
        equal(reply.status, 200, reply.text)
        equal(reply.headers['x-adjusted-params'], told)
        const request = clamping.engine.requests.at(-1)
        deepEqual([request?.temperature, request?.topP], [temperature, topP])
      }
    }
  })
  test('takes nothing beyond: negative, over 2, not a number', async () => {
    for (const temperature of [-0.01, 2.01, '0', true]) {
      const reply = await clamping.chat({ temperature })
      deepEqual([reply.status, reply.error().param], [400, 'temperature'])
    }
  })
  test('a key may reject where the installation clamps, and clamp where it rejects', async () => {
    clamping.accounts.add('um_live_strict', { outOfRangeSampling: 'reject' })
    equal((await clamping.chat({ temperature: 0 }, { key: 'um_live_strict' })).status, 400)
    server.accounts.add('um_live_loose', { outOfRangeSampling: 'clamp' })
    equal((await server.chat({ temperature: 0 }, { key: 'um_live_loose' })).status, 200)
    equal((await server.chat({ temperature: 0 })).status, 400)
  })
})
