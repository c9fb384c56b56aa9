/** The bundled pair as it ships: exact against float64 and PyTorch, and its bits steady. Minutes, not seconds. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { after, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { openForward, type ForwardOptions, type GgmlForward } from '../../src/engine/model/ggml-forward.ts'
import { ModelFile } from '../../src/engine/weights/model-file.ts'
import { testedKernel } from '../support/kernel.ts'
import { loadReference } from '../reference/reference-model.ts'
import { ReferenceForward } from '../reference/reference-forward.ts'
import { causalScript, promptSteps, runAlone, runTogether, windowStep } from '../support/forward-scripts.ts'
import { logitsOf, relativeRms } from '../support/relative-rms.ts'

const kernel = await testedKernel()
const SERVED: ForwardOptions = {
  precision: 'file',
  kernel,
  cacheType: 'bf16',
  cells: 1024,
  threads: 1,
  keepLogits: true,
}
const EXACT: ForwardOptions = { ...SERVED, precision: 'f32', cacheType: 'f32' }
const FILES = ['model.gguf', 'model-moe.gguf']
const PROMPT = [1, 4093, 198, 1780, 314, 260, 3575, 282, 4649, 47]

type Sequential = { cases: { prompt: number[]; reply: number[]; marginMin: number }[] }
type Brief = { topIds: number[]; top: number[]; sample: number[] }
type PairLogits = {
  sampleIds: number[]
  files: Record<string, { cases: { prompt: number[]; window: number[]; causalLast3: Brief[]; windowRows: Brief[] }[] }>
}

const pathOf = (name: string) => fileURLToPath(new URL(`../../models/${name}`, import.meta.url))
const fixture = (name: string): URL => new URL(`../fixtures/engine/${name}`, import.meta.url)

async function open(name: string, options: ForwardOptions): Promise<{ file: ModelFile; forward: GgmlForward }> {
  const file = await ModelFile.open(pathOf(name))
  after(() => file.close())
  const forward = await openForward(file, options)
  after(() => forward.close())
  return { file, forward }
}

test('F32 logits are within 1e-5 of float64, causal rows and window rows', async () => {
  const { file, forward } = await open('model-moe.gguf', EXACT)
  const script = [windowStep(0, PROMPT, [47, file.spec.maskToken, file.spec.maskToken])]
  const reference = await runAlone(new ReferenceForward(await loadReference(file)), script)
  const far = relativeRms(logitsOf((await runAlone(forward, script)).flat()), logitsOf(reference.flat()))
  ok(far <= 1e-5, `relative RMS ${far}`)
})

test('one token at a time draws what PyTorch drew in F32, on every recorded prompt', async () => {
  const { forward } = await open('model.gguf', EXACT)
  const { cases } = JSON.parse(readFileSync(fixture('sequential-f32.json'), 'utf8')) as Sequential
  for (const { prompt, reply } of cases) {
    // A row's bits do not depend on the cut, so all replies so far can be given at once.
    const tokens = [...prompt, ...reply.slice(0, -1)]
    const rows = (await runAlone(forward, promptSteps(tokens, []))).flat().slice(prompt.length - 1)
    deepEqual(
      rows.map((row) => row.ids[0]),
      reply,
    )
  }
  equal(cases.length, 50)
})

describe('recorded logits of PyTorch in F32 are met to 1e-4', () => {
  for (const name of FILES) {
    test(name, async () => {
      const { forward } = await open(name, EXACT)
      const { files, sampleIds } = JSON.parse(readFileSync(fixture('pair-logits.json'), 'utf8')) as PairLogits
      for (const { prompt, window, causalLast3, windowRows } of files[name]?.cases ?? []) {
        const rows = (await runAlone(forward, [windowStep(0, prompt, [prompt.at(-1) ?? 0, ...window])])).flat()
        const own = rows.slice(prompt.length - 3).map((row) => sampleIds.map((id) => row.logits?.[id] ?? Number.NaN))
        const far = relativeRms(
          own,
          [...causalLast3, ...windowRows].map((row) => row.sample),
        )
        ok(far <= 1e-4, `relative RMS ${far}`)
      }
    })
  }
})

describe("a row's bits are the same alone and among any others, and however its prompt was cut", () => {
  for (const name of FILES) {
    test(name, async () => {
      const { file, forward } = await open(name, SERVED)
      const scripts = fc.sample(causalScript(file.spec, 90), { numRuns: 5, seed: 11 })
      const alone = []
      for (const script of scripts) alone.push(await runAlone(forward, script))
      deepEqual(await runTogether(forward, scripts, [3, 21, 9, 31]), alone)
      const whole = (await runAlone(forward, promptSteps(PROMPT, []))).flat()
      for (let cut = 1; cut < PROMPT.length; cut++) {
        deepEqual((await runAlone(forward, promptSteps(PROMPT, [cut]))).flat(), whole, `cut at ${cut}`)
      }
      forward.threads = 2
      deepEqual((await runAlone(forward, promptSteps(PROMPT, [4]))).flat(), whole, 'on two threads')
    })
  }
})
