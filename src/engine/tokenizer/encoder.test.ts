import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openRandomModel } from '../../../test/support/tiny-models.ts'
import type { ChatTurn } from '../messages.ts'
import type { ModelFile } from '../weights/model-file.ts'
import { Encoder } from './encoder.ts'
import { Tokenizer } from './tokenizer.ts'

const user = (text: string): ChatTurn[] => [{ role: 'user', text }]

describe('prompts are encoded off the caller’s thread', () => {
  const encoder = new Encoder({ jobMsMax: 1200 })
  let file: ModelFile

  before(async () => {
    file = await openRandomModel('tiny-causal')
    await encoder.addModel('m', file)
    const endless = `{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}`
    await encoder.addModel('endless', { vocabulary: file.vocabulary, template: endless })
    const hungry = `{% set n = namespace(l=[]) %}{% for i in range(100000) %}{% set n.l = [n.l, range(100000)] %}{% endfor %}`
    await encoder.addModel('hungry', { vocabulary: file.vocabulary, template: hungry })
  })
  after(() => encoder.close())

  test('ids are the template’s, with the length of what every such conversation begins with', async () => {
    const tokenizer = new Tokenizer(file.vocabulary)
    const prompt = await encoder.encode('m', user('Hi <|im_end|>'), 100)
    ok(prompt.kind === 'ids')
    equal(tokenizer.text(prompt.ids), '<|im_start|>user\nHi <|im_end|><|im_end|>\n<|im_start|>assistant\n')
    equal(prompt.ids.filter((id) => id === 2).length, 1)
    equal(tokenizer.text(prompt.ids.slice(0, prompt.beginning)), '<|im_start|>user\n')
  })

  test('the beginning ends where the first text begins, also when texts are alike', async () => {
    const prompt = await encoder.encode('m', [...user('x'), { role: 'assistant', text: 'x' }, ...user('7')], 100)
    ok(prompt.kind === 'ids')
    equal(prompt.beginning, 6)
  })

  test('exactly tokensMax ids pass, one more is too long', async () => {
    const prompt = await encoder.encode('m', user('abc'), 1000)
    ok(prompt.kind === 'ids')
    equal((await encoder.encode('m', user('abc'), prompt.ids.length)).kind, 'ids')
    equal((await encoder.encode('m', user('abc'), prompt.ids.length - 1)).kind, 'too_long')
  })

  test('a prompt that must be too long is refused at once, 4 MiB of it', async () => {
    const text = 'a'.repeat(2 ** 22)
    const startedAt = performance.now()
    deepEqual(await encoder.encode('m', user(text), 8191), { kind: 'too_long', tokensMin: 2 ** 22 })
    ok(performance.now() - startedAt < 100)
  })

  const longOnes = {
    'of one long text': user('some text, 12 '.repeat(20_000)),
    'of very many empty texts': Array.from({ length: 20_000 }, () => user('')).flat(),
  }
  for (const [what, turns] of Object.entries(longOnes)) {
    test(`short prompts do not wait for a long one ${what}`, async () => {
      const ended: string[] = []
      const long = encoder.encode('m', turns, 1e6).then(() => ended.push('long'))
      await Promise.all(
        Array.from({ length: 20 }, async (_, i) => {
          await encoder.encode('m', user(`short ${i}`), 100)
          ended.push('short')
        }),
      )
      await long
      equal(ended.at(-1), 'long')
    })
  }

  test('a caller who leaves is answered at once, and what waits is dropped', async () => {
    const controller = new AbortController()
    const first = encoder.encode('m', user('some text, 12 '.repeat(10_000)), 1e6)
    const second = encoder.encode('m', user('some text, 12 '.repeat(10_000)), 1e6, controller.signal)
    controller.abort(new Error('left'))
    await rejects(second, /left/)
    equal((await first).kind, 'ids')
    await rejects(encoder.encode('m', user('x'), 10, controller.signal), /left/)
  })

  test('a template that never ends, or eats all memory, is refused, and the next prompt is served', async () => {
    const endless = await encoder.encode('endless', user('x'), 10)
    ok(endless.kind === 'refused')
    match(endless.reason, /takes too long/)
    const hungry = await encoder.encode('hungry', user('x'), 10)
    equal(hungry.kind, 'refused')
    equal((await encoder.encode('m', user('x'), 100)).kind, 'ids')
  })

  test('a model that is not there, and a vocabulary that cannot be used', async () => {
    await rejects(encoder.encode('nobody', user('x'), 10), /does not know the model nobody/)
    const vocabulary = { ...file.vocabulary, pre: 'tekken' }
    await rejects(encoder.addModel('odd', { vocabulary, template: '' }), /odd: tokenizer\.ggml\.pre is tekken/)
  })
})
