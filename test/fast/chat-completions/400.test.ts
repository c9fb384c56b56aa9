import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startServer } from '../../support/api-server.ts'
import { say } from '../../support/https-client.ts'

const server = await startServer()

const message = (changes: object): object => ({ messages: [{ role: 'user', content: 'a', ...changes }] })

/** name, fields over a valid request, the `param` of the answer, a part of its message. */
const CASES: [name: string, fields: object, param: string, message: RegExp][] = [
  ['model missing', { model: undefined }, 'model', /model is missing/],
  ['model null', { model: null }, 'model', /missing/],
  ['model not a string', { model: 7 }, 'model', /model is 7/],
  ['model empty', { model: '' }, 'model', /""/],
  ['model unknown', { model: 'gpt-9' }, 'model', /"gpt-9"; allowed: Model, Model-MoE/],
  ['messages missing', { messages: undefined }, 'messages', /missing/],
  ['messages null', { messages: null }, 'messages', /messages is null/],
  ['messages empty', { messages: [] }, 'messages', /an array of 0; allowed: an array of at least one/],
  ['messages a string', { messages: 'hi' }, 'messages', /"hi"/],
  ['a message that is no object', { messages: ['hi'] }, 'messages[0]', /"hi"/],
  ['a later message at fault is named', { messages: [{ role: 'user', content: 'a' }, 1] }, 'messages[1]', /is 1/],
  ['role missing', message({ role: undefined }), 'messages[0].role', /missing/],
  ['role unknown', message({ role: 'robot' }), 'messages[0].role', /"robot"; allowed: system, developer, user/],
  ['content missing', message({ content: undefined }), 'messages[0].content', /missing/],
  ['content null of a user', message({ content: null }), 'messages[0].content', /null/],
  ['content a number', message({ content: 5 }), 'messages[0].content', /is 5/],
  ['content without parts', message({ content: [] }), 'messages[0].content', /array of 0/],
  ['a part that is no object', message({ content: ['a'] }), 'messages[0].content[0]', /"a"/],
  ['a part without a type', message({ content: [{ text: 'a' }] }), 'messages[0].content[0].type', /missing/],
  ['an image', message({ content: [{ type: 'image_url' }] }), 'messages[0].content[0].type', /"image_url".*text only/],
  ['audio', message({ content: [{ type: 'input_audio' }] }), 'messages[0].content[0].type', /"input_audio"/],
  ['a text part without text', message({ content: [{ type: 'text' }] }), 'messages[0].content[0].text', /missing/],
  ['stream a string', { stream: 'true' }, 'stream', /"true"; allowed: true or false/],
  ['stream a number', { stream: 1 }, 'stream', /is 1/],
  ['max_tokens below', { max_tokens: 0 }, 'max_tokens', /max_tokens is 0; allowed: an integer from 1 to 8192/],
  ['max_tokens above', { max_tokens: 8193 }, 'max_tokens', /8193/],
  ['max_tokens negative', { max_tokens: -1 }, 'max_tokens', /-1/],
  ['max_tokens broken', { max_tokens: 1.5 }, 'max_tokens', /1\.5/],
  ['max_tokens a string', { max_tokens: '5' }, 'max_tokens', /"5"/],
  ['max_tokens true', { max_tokens: true }, 'max_tokens', /true/],
  ['max_completion_tokens above', { max_completion_tokens: 8193 }, 'max_completion_tokens', /8193/],
  [
    'max_tokens and max_completion_tokens differ',
    { max_tokens: 5, max_completion_tokens: 6 },
    'max_completion_tokens',
    /is 6; allowed: the same as max_tokens \(5\)/,
  ],
  ['temperature below', { temperature: 0.0999 }, 'temperature', /0\.0999; allowed: a number from 0\.1 to 1/],
  ['temperature zero', { temperature: 0 }, 'temperature', /is 0;/],
  ['temperature above', { temperature: 1.0001 }, 'temperature', /1\.0001/],
  ['temperature negative', { temperature: -1 }, 'temperature', /-1/],
  ['temperature a string', { temperature: '0.5' }, 'temperature', /"0\.5"/],
  ['top_p below', { top_p: 0.0999 }, 'top_p', /0\.0999/],
  ['top_p above', { top_p: 1.0001 }, 'top_p', /1\.0001/],
  ['top_p an object', { top_p: {} }, 'top_p', /an object/],
  ['stop empty', { stop: '' }, 'stop', /""/],
  ['stop with an empty one', { stop: ['a', ''] }, 'stop', /""/],
  ['five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', /array of 5; allowed: .* up to 4/],
  ['stop a number', { stop: 3 }, 'stop', /3/],
  ['stop with a number', { stop: ['a', 3] }, 'stop', /3/],
  ['seed broken', { seed: 1.5 }, 'seed', /1\.5/],
  ['seed a string', { seed: '1' }, 'seed', /"1"/],
  ['seed too large to be exact', { seed: 2 ** 53 }, 'seed', /9007199254740992/],
  ['user a number', { user: 5 }, 'user', /5/],
  ['stream_options a string', { stream_options: 'a' }, 'stream_options', /"a"/],
  ['include_usage a string', { stream_options: { include_usage: 'a' } }, 'stream_options.include_usage', /"a"/],
  ['diffusing a string', { diffusing: 'yes' }, 'diffusing', /"yes"/],
  ['n above 1', { n: 2 }, 'n', /n is 2; allowed: 1/],
  ['tools', { tools: [{ type: 'function' }] }, 'tools', /array of 1; allowed: \[\]/],
  ['tool_choice required', { tool_choice: 'required' }, 'tool_choice', /"required"/],
  ['functions', { functions: [{}] }, 'functions', /array of 1/],
  ['function_call by name', { function_call: { name: 'a' } }, 'function_call', /an object/],
  ['frequency_penalty', { frequency_penalty: 0.5 }, 'frequency_penalty', /0\.5/],
  ['presence_penalty', { presence_penalty: -1 }, 'presence_penalty', /-1/],
  ['logprobs', { logprobs: true }, 'logprobs', /true/],
  ['top_logprobs', { top_logprobs: 3 }, 'top_logprobs', /3/],
  ['logit_bias', { logit_bias: { 50: 1 } }, 'logit_bias', /an object/],
  ['response_format json', { response_format: { type: 'json_object' } }, 'response_format', /an object/],
  ['modalities audio', { modalities: ['text', 'audio'] }, 'modalities', /array of 2/],
  ['audio output', { audio: { voice: 'a' } }, 'audio', /an object/],
  ['web search', { web_search_options: {} }, 'web_search_options', /an object/],
]

describe('400 names the field, the value and what is allowed', () => {
  for (const [name, fields, param, text] of CASES) {
    test(`${name}: ${param}`, async () => {
      const reply = await server.chat(fields)
      equal(reply.status, 400, reply.text)
      equal(reply.headers['content-type'], 'application/json; charset=utf-8')
      const error = reply.error()
      deepEqual([error.code, error.type, error.param], [400, 'invalid_request_error', param])
      match(error.message, text)
    })
  }
})

describe('a body that is no JSON object', () => {
  const bodies = {
    empty: '',
    broken: '{"model":',
    array: '[]',
    null: 'null',
    string: '"a"',
    number: '1',
    trailing: '{}x',
  }
  for (const [name, body] of Object.entries(bodies)) {
    test(name, async () => {
      const reply = await server.chat({}, { body })
      deepEqual([reply.status, reply.error().type, reply.error().param], [400, 'invalid_request_error', null])
    })
  }
  test('the answer does not quote the body', async () => {
    ok(!(await server.chat({}, { body: '{"secret words' })).text.includes('secret'))
  })
  test('nesting of any depth is no fault of the server', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    equal((await server.chat({}, { body: deep })).status, 400)
    equal((await server.chat({}, { body: `{"model":"Model","messages":${deep}}` })).status, 400)
  })
  test('a number beyond all numbers is told as it is', async () => {
    const body = '{"model":"Model","messages":[{"role":"user","content":"a"}],"temperature":1e999}'
    match((await server.chat({}, { body })).error().message, /temperature is Infinity/)
  })
  test('__proto__ and constructor are fields like others', async () => {
    const body =
      '{"model":"Model","messages":[{"role":"user","content":"a"}],"__proto__":{"stream":true},"constructor":1}'
    const reply = await server.chat({}, { body })
    deepEqual([reply.status, reply.headers['content-type']], [200, 'application/json; charset=utf-8'])
  })
})

describe('Request failed.: characters that cannot be text', () => {
  const bad = { NUL: '\u0000', 'a C0 control': '\u0007', escape: '\u001b', 'vertical tab': '\u000b' }
  const places: [param: string, fields: (text: string) => object][] = [
    ['messages[0].content', (text) => say(text)],
    ['messages[0].content[0].text', (text) => message({ content: [{ type: 'text', text }] })],
    ['stop', (text) => ({ stop: [text] })],
    ['user', (text) => ({ user: text })],
  ]
  for (const [param, fields] of places) {
    for (const [name, character] of Object.entries({
      ...bad,
      'a high surrogate alone': '\ud800',
      'a low one': '\udc00',
    })) {
      test(`${name} in ${param}`, async () => {
        const reply = await server.chat(fields(`text ${character} text`))
        const error = reply.error()
        deepEqual([reply.status, error.message, error.param], [400, 'Request failed.', param])
        match(error.detail ?? '', /U\+00|surrogate/i)
      })
    }
  }
  test('bytes that are not UTF-8 never become U+FFFD', async () => {
    const [before, after] = ['{"model":"Model","messages":[{"role":"user","content":"', '"}]}']
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98]]) {
      const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
      const error = (await server.chat({}, { body })).error()
      deepEqual([error.code, error.message, error.param], [400, 'Request failed.', null])
      match(error.detail ?? '', /UTF-8/)
    }
  })
  test('a prompt that does not fit the window, as the engine tells', async () => {
    const error = (await server.chat(say('fail prompt_too_long 9000 tokens; the window holds 8192'))).error()
    deepEqual([error.code, error.message, error.param], [400, 'Request failed.', 'messages'])
    equal(error.detail, '9000 tokens; the window holds 8192')
  })
})

describe('what only the engine can tell', () => {
  test('a template that refuses the conversation: 400 with its sentence', async () => {
    const error = (await server.chat(say('fail template_refused roles must alternate'))).error()
    deepEqual([error.code, error.param], [400, 'messages'])
    match(error.message, /roles must alternate/)
  })
  test('a model that vanished: 400, param model', async () => {
    const error = (await server.chat(say('fail unknown_model'))).error()
    deepEqual([error.code, error.param], [400, 'model'])
  })
})

test('rejected calls do not count', async () => {
  server.accounts.add('um_live_count', {}, { day: 1, concurrent: 1 })
  const key = 'um_live_count'
  for (const fields of [{ max_tokens: 0 }, { model: 'x' }, say('fail prompt_too_long'), say('fail template_refused')]) {
    equal((await server.chat(fields, { key })).status, 400)
  }
  equal((await server.chat({}, { key })).status, 200, 'the one call of the day is still there')
})
