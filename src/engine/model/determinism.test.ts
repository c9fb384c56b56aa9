import { deepEqual } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import * as fc from 'fast-check'
import {
  canvasScript,
  causalScript,
  promptSteps,
  runAlone,
  runTogether,
  type Script,
} from '../../../test/support/forward-scripts.ts'
import { openRandomModel } from '../../../test/support/tiny-models.ts'
import { openForward, type ForwardOptions, type GgmlForward } from './ggml-forward.ts'
import type { ModelSpec } from './spec.ts'

const OPTIONS: ForwardOptions = { precision: 'file', cacheType: 'bf16', cells: 2048, threads: 1, keepLogits: true }

type Subject = { like: string; type?: 'F32' | 'F16' | 'BF16' | 'Q8_0' | 'Q4_0' | 'Q4_1' }
const CAUSAL: Subject[] = [
  { like: 'tiny-causal' },
  { like: 'tiny-causal', type: 'Q4_1' },
  { like: 'tiny-causal', type: 'Q8_0' },
  { like: 'tiny-causal-moe', type: 'Q4_0' },
]
const CANVAS: Subject[] = [
  { like: 'tiny-dense', type: 'BF16' },
  { like: 'tiny-dense', type: 'Q8_0' },
  { like: 'tiny-moe', type: 'F16' },
]
const title = ({ like, type }: Subject) => `${like} in ${type ?? 'F32'}`

async function openSubject({ like, type }: Subject): Promise<{ forward: GgmlForward; spec: ModelSpec }> {
  const file = await openRandomModel(like, type === undefined ? {} : { type })
  const forward = await openForward(file, OPTIONS)
  after(() => forward.close())
  return { forward, spec: file.spec }
}

/** Together on two threads only in every fourth run: ggml's threads spin, which is slow beside other tests. */
async function aloneAndTogether(forward: GgmlForward, script: fc.Arbitrary<Script>, runs: number): Promise<void> {
  const turns = fc.array(fc.nat({ max: 255 }), { maxLength: 6 })
  const scripts = fc.array(script, { minLength: 2, maxLength: 6 })
  const property = fc.asyncProperty(scripts, turns, fc.constantFrom(1, 1, 1, 2), async (wishes, order, threads) => {
    forward.threads = 1
    const alone = []
    for (const wish of wishes) alone.push(await runAlone(forward, wish))
    forward.threads = threads
    deepEqual(await runTogether(forward, wishes, order), alone)
  })
  await fc.assert(property, { numRuns: runs, seed: 7 })
}

describe("a row's bits are the same alone and among any others, on one thread and on two", () => {
  for (const subject of CAUSAL) {
    test(`causal context: ${title(subject)}`, async () => {
      const { forward, spec } = await openSubject(subject)
      await aloneAndTogether(forward, causalScript(spec, 70), 12)
    })
  }
  for (const subject of CANVAS) {
    test(`bidirectional: ${title(subject)}`, async () => {
      const { forward, spec } = await openSubject(subject)
      await aloneAndTogether(forward, canvasScript(spec, 70), 8)
    })
  }
})

describe("a row's bits do not depend on how its prompt was cut", () => {
  for (const subject of CAUSAL) {
    test(title(subject), async () => {
      const { forward, spec } = await openSubject(subject)
      const prompt = Array.from({ length: 41 }, (_, i) => (i * 37) % spec.vocabulary)
      const whole = (await runAlone(forward, promptSteps(prompt, []))).flat()
      for (let cut = 1; cut < prompt.length; cut++) {
        forward.threads = cut === 20 ? 2 : 1
        deepEqual((await runAlone(forward, promptSteps(prompt, [cut]))).flat(), whole, `cut at ${cut}`)
      }
    })
  }
})
