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
import { testedKernel } from '../../../test/support/kernel.ts'
import { openRandomModel } from '../../../test/support/tiny-models.ts'
import { openForward, type ForwardOptions, type GgmlForward } from './ggml-forward.ts'
import type { ModelSpec } from './spec.ts'

const OPTIONS: ForwardOptions = { precision: 'file', cacheType: 'bf16', cells: 2048, threads: 1, keepLogits: true }

const kernel = await testedKernel()

/** packed: by the project's own kernel. */
type Subject = { like: string; type?: 'F32' | 'F16' | 'BF16' | 'Q8_0' | 'Q4_0' | 'Q4_1'; packed?: true }
const CAUSAL: Subject[] = [
  { like: 'tiny-causal' },
  { like: 'tiny-causal', type: 'Q4_1' },
  { like: 'tiny-causal', type: 'Q8_0' },
  { like: 'tiny-causal-moe', type: 'Q4_0' },
  { like: 'tiny-causal', packed: true },
  { like: 'tiny-causal', type: 'Q4_1', packed: true },
  { like: 'tiny-causal', type: 'Q8_0', packed: true },
  { like: 'tiny-causal-moe', type: 'Q4_0', packed: true },
]
const CANVAS: Subject[] = [
  { like: 'tiny-dense', type: 'BF16' },
  { like: 'tiny-dense', type: 'Q8_0' },
  { like: 'tiny-moe', type: 'Q8_0', packed: true },
  { like: 'tiny-moe', type: 'F16' },
]
const title = ({ like, type, packed }: Subject) => `${like} in ${type ?? 'F32'}${packed ? ', by the kernel' : ''}`

async function openSubject({ like, type, packed }: Subject): Promise<{ forward: GgmlForward; spec: ModelSpec }> {
  const file = await openRandomModel(like, type === undefined ? {} : { type })
  const forward = await openForward(file, { ...OPTIONS, kernel: packed ? kernel : undefined })
  after(() => forward.close())
  return { forward, spec: file.spec }
}

async function aloneAndTogether(forward: GgmlForward, script: fc.Arbitrary<Script>, runs: number): Promise<void> {
  const turns = fc.array(fc.nat({ max: 255 }), { maxLength: 6 })
  const scripts = fc.array(script, { minLength: 2, maxLength: 6 })
  const property = fc.asyncProperty(scripts, turns, async (wishes, order) => {
    const alone = []
    for (const wish of wishes) alone.push(await runAlone(forward, wish))
    deepEqual(await runTogether(forward, wishes, order), alone)
  })
  await fc.assert(property, { numRuns: runs, seed: 7 })
}

describe("a row's bits are the same alone and among any others", () => {
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

test("a row's bits are the same on one thread and on two", async () => {
  // Once only: ggml's threads spin while they wait, which is slow beside other tests.
  const { forward, spec } = await openSubject({ like: 'tiny-causal-moe', type: 'Q8_0' })
  const scripts = fc.sample(causalScript(spec, 70), { numRuns: 3, seed: 5 })
  const one = await runTogether(forward, scripts, [])
  forward.threads = 2
  deepEqual(await runTogether(forward, scripts, []), one)
})

test('the same holds where a processor needs eight columns at least', async () => {
  const file = await openRandomModel('tiny-causal', { type: 'Q8_0' })
  const forward = await openForward(file, { ...OPTIONS, columnsMin: 8 })
  after(() => forward.close())
  await aloneAndTogether(forward, causalScript(file.spec, 40), 8)
  const usual = await openForward(file, OPTIONS)
  after(() => usual.close())
  const script = promptSteps([5, 6, 7], [1])
  deepEqual(await runAlone(forward, script), await runAlone(usual, script))
})

describe("a row's bits do not depend on how its prompt was cut", () => {
  for (const subject of CAUSAL) {
    test(title(subject), async () => {
      const { forward, spec } = await openSubject(subject)
      const prompt = Array.from({ length: 41 }, (_, i) => (i * 37) % spec.vocabulary)
      const whole = (await runAlone(forward, promptSteps(prompt, []))).flat()
      for (let cut = 1; cut < prompt.length; cut++) {
        deepEqual((await runAlone(forward, promptSteps(prompt, [cut]))).flat(), whole, `cut at ${cut}`)
      }
    })
  }
})
