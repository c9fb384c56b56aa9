import { ok } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { openForward } from '../../src/engine/model/ggml-forward.ts'
import type { Candidates } from '../../src/engine/model/forward.ts'
import { loadReference } from '../reference/reference-model.ts'
import { ReferenceForward } from '../reference/reference-forward.ts'
import { blockScript, canvasScript, causalScript, runAlone } from '../support/forward-scripts.ts'
import { logitsOf, relativeRms } from '../support/relative-rms.ts'
import { openRandomModel } from '../support/tiny-models.ts'

const BOUNDS = { F32: 1e-5, F16: 2e-3, Q8_0: 3e-2 } as const
const SCRIPTS = {
  'tiny-dense': canvasScript,
  'tiny-moe': canvasScript,
  'tiny-block': blockScript,
  'tiny-causal': causalScript,
  'tiny-causal-moe': causalScript,
} as const

describe('logits equal those of an independent float64 forward, cached and uncached', () => {
  for (const [like, script] of Object.entries(SCRIPTS)) {
    for (const type of ['F32', 'F16', 'Q8_0'] as const) {
      test(`${like} in ${type}: relative RMS at most ${BOUNDS[type]}`, async (t) => {
        const file = await openRandomModel(like, { type })
        const reference = new ReferenceForward(await loadReference(file))
        const forward = await openForward(file, {
          precision: 'file',
          cacheType: 'f32',
          cells: 256,
          threads: 1,
          keepLogits: true,
        })
        after(() => forward.close())
        const got: Candidates[] = []
        const expected: Candidates[] = []
        for (const wish of fc.sample(script(file.spec, 24), { numRuns: 10, seed: 3 })) {
          got.push(...(await runAlone(forward, wish)).flat())
          expected.push(...(await runAlone(reference, wish)).flat())
        }
        const far = relativeRms(logitsOf(got), logitsOf(expected))
        ok(far <= BOUNDS[type], `relative RMS ${far}`)
        t.diagnostic(`relative RMS ${far.toExponential(1)}`)
      })
    }
  }
})
