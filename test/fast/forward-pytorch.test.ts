import { ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { after, describe, test } from 'node:test'
import type { Span } from '../../src/engine/model/forward.ts'
import { openForward, type GgmlForward } from '../../src/engine/model/ggml-forward.ts'
import { ModelFile } from '../../src/engine/weights/model-file.ts'
import { promptSteps, runAlone, windowStep } from '../support/forward-scripts.ts'
import { logitsOf, relativeRms } from '../support/relative-rms.ts'

const at = (name: string) => fileURLToPath(new URL(`../fixtures/engine/${name}`, import.meta.url))
/** Recorded logits have seven digits. */
const BOUND = 1e-5

type Canvas = { file: string; firstForward: { ids: number[]; logits: number[][] } }
type Pair = {
  additions: string
  prompt: number[]
  cases: { window: number[]; causal: number[][]; windowRows: number[][] }[]
}

async function openFixture(name: string): Promise<GgmlForward> {
  const file = await ModelFile.open(at(name))
  after(() => file.close())
  const forward = await openForward(file, {
    precision: 'f32',
    cacheType: 'f32',
    cells: 256,
    threads: 1,
    keepLogits: true,
  })
  after(() => forward.close())
  return forward
}

function readFixture(name: string): unknown {
  return JSON.parse(readFileSync(at(name), 'utf8'))
}

describe('logits equal those that PyTorch computed in F32', () => {
  for (const name of ['llada-fixed.json', 'llada-moe-fixed.json']) {
    const { file, firstForward } = readFixture(name) as Canvas
    test(`a whole canvas of ${file}`, async () => {
      const tokens = firstForward.ids
      const sees = { until: tokens.length, from: 0, to: 0 }
      const span: Span = { tokens, position: 0, writeAt: 0, sees, adapted: false, wanted: tokens.map(() => true) }
      const rows = (await runAlone(await openFixture(file), [[span]])).flat()
      const far = relativeRms(logitsOf(rows), firstForward.logits)
      ok(far <= BOUND, `relative RMS ${far}`)
    })
  }

  const pair = readFixture('tiny-pair.json') as Pair
  for (const { window, causal, windowRows } of pair.cases) {
    test(`causal rows and a window of ${window.join(', ')} behind the last of them`, async () => {
      const forward = await openFixture(pair.additions)
      const last = pair.prompt.at(-1) ?? 0
      const together = [windowStep(0, pair.prompt, [last, ...window])]
      const apart = [
        ...promptSteps(pair.prompt.slice(0, -1), [5]),
        windowStep(pair.prompt.length - 1, [last], [last, ...window]),
      ]
      for (const script of [together, apart]) {
        const rows = (await runAlone(forward, script)).flat()
        const far = relativeRms(logitsOf(rows), [...causal, ...windowRows])
        ok(far <= BOUND, `relative RMS ${far}`)
      }
    })
  }
})
