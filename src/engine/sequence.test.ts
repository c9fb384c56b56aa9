import { equal, deepEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { decodeAlone, toyPrompt } from '../../test/support/decode.ts'
import { ToyForward, toySpec } from '../../test/support/toy-forward.ts'
import type { Decoding } from './messages.ts'
import type { Sampling } from './sample.ts'

const GREEDY: Sampling = { temperature: 0, topP: 1, seed: 1 }
const causal = toySpec('causal-context')
const decoding = (over: Partial<Decoding>): Decoding => ({
  rule: 'verified',
  threshold: 0.2,
  window: 4,
  perStep: 1,
  ...over,
})

const anyCase = fc.record({
  promptSize: fc.integer({ min: 1, max: 40 }),
  promptSeed: fc.nat(),
  tokensMax: fc.integer({ min: 1, max: 60 }),
  window: fc.integer({ min: 1, max: 9 }),
  threshold: fc.double({ min: 0, max: 1, noNaN: true }),
  temperature: fc.constantFrom(0, 0.3, 0.7, 1),
  topP: fc.constantFrom(0.3, 0.8, 1),
  seed: fc.maxSafeInteger(),
  chunk: fc.integer({ min: 1, max: 50 }),
  paced: fc.boolean(),
})

describe('causal context: `verified` is `sequential`, token for token', () => {
  test('on 1,000 cases, greedy and sampled, for every window, threshold and prefill piece', async () => {
    let drafted = 0
    let steps = 0
    await fc.assert(
      fc.asyncProperty(anyCase, async (c) => {
        const prompt = toyPrompt(c.promptSize, c.promptSeed)
        const sampling = { temperature: c.temperature, topP: c.topP, seed: c.seed }
        const common = { spec: causal, sampling, prompt, tokensMax: c.tokensMax }
        const plain = await decodeAlone({ ...common, decoding: decoding({ rule: 'sequential' }), rowsMax: 999 })
        const verified = await decodeAlone({
          ...common,
          decoding: decoding({ window: c.window, threshold: c.threshold, paced: c.paced }),
          rowsMax: c.chunk,
        })
        deepEqual(verified.tokens, plain.tokens)
        equal(verified.ended, plain.ended)
        drafted += verified.tokens.length
        steps += verified.denoisings
      }),
      { numRuns: 1000 },
    )
    ok(drafted / steps > 1.1, `drafts were never right: ${drafted} tokens in ${steps} steps`)
  })
})

describe('every form', () => {
  const forms = [
    { spec: causal, rules: ['sequential', 'verified', 'threshold'] },
    { spec: toySpec('block-causal'), rules: ['threshold', 'factor', 'entropy-bound', 'fixed', 'sequential'] },
    { spec: toySpec('block-causal', { shift: true }), rules: ['threshold', 'fixed'] },
    { spec: toySpec('bidirectional'), rules: ['threshold', 'factor', 'entropy-bound', 'fixed', 'sequential'] },
    { spec: toySpec('bidirectional', { shift: true }), rules: ['threshold', 'fixed'] },
  ]
  for (const { spec, rules } of forms) {
    for (const rule of rules) {
      test(`${spec.attention}${spec.shift ? ', shifted' : ''}, ${rule}: at most tokensMax tokens, none banned, steps within the budget`, async () => {
        await fc.assert(
          fc.asyncProperty(anyCase, fc.boolean(), async (c, exact) => {
            const reply = await decodeAlone({
              spec,
              decoding: decoding({ rule, window: c.window, threshold: c.threshold, perStep: 2, exact }),
              sampling: { temperature: c.temperature, topP: c.topP, seed: c.seed },
              prompt: toyPrompt(c.promptSize, c.promptSeed),
              tokensMax: c.tokensMax,
              rowsMax: c.chunk,
            })
            ok(reply.tokens.length <= c.tokensMax)
            if (reply.ended === 'length') equal(reply.tokens.length, c.tokensMax)
            for (const token of reply.tokens) ok(token > 3, `token ${token} was shown`)
            // The end of turn itself may take a step more than the tokens that are shown, and a block's tail stays open.
            ok(reply.denoisings <= c.tokensMax + c.window, `${reply.denoisings} steps`)
          }),
          { numRuns: 80 },
        )
      })
    }
  }
})

describe('how a prompt is cut never shows', () => {
  for (const spec of [causal, toySpec('block-causal'), toySpec('block-causal', { shift: true })]) {
    test(`${spec.attention}${spec.shift ? ', shifted' : ''}: the same reply for every size of prefill piece`, async () => {
      const prompt = toyPrompt(37, 5)
      const run = (rowsMax: number) =>
        decodeAlone({
          spec,
          decoding: decoding({ rule: 'threshold', threshold: 0.5 }),
          sampling: { temperature: 0.7, topP: 0.8, seed: 9 },
          prompt,
          tokensMax: 30,
          rowsMax,
        })
      const whole = await run(999)
      for (let rowsMax = 1; rowsMax < 40; rowsMax++) deepEqual((await run(rowsMax)).tokens, whole.tokens)
    })
  }
})

describe('block-causal', () => {
  test('one at a time in blocks of one is one-at-a-time decoding: keys of finished blocks are exact', async () => {
    const spec = toySpec('block-causal')
    const common = { spec, sampling: GREEDY, prompt: toyPrompt(10, 3), tokensMax: 20, rowsMax: 99 }
    const forward = new ToyForward(spec)
    const cached = await decodeAlone({ ...common, decoding: decoding({ rule: 'sequential', window: 4 }), forward })
    // The same, each token from scratch: the reply so far becomes the prompt.
    const scratch: number[] = []
    while (scratch.length < cached.tokens.length) {
      const next = await decodeAlone({
        ...common,
        prompt: [...common.prompt, ...scratch],
        tokensMax: 1,
        decoding: decoding({ rule: 'sequential', window: 4 }),
      })
      if (next.tokens[0] === undefined) break
      scratch.push(next.tokens[0])
    }
    deepEqual(scratch, cached.tokens)
  })
})
