import { ok } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { openForward } from '../../src/engine/model/ggml-forward.ts'
import type { Candidates } from '../../src/engine/model/forward.ts'
import { loadReference } from '../reference/reference-model.ts'
import { ReferenceForward } from '../reference/reference-forward.ts'
import { blockScript, canvasScript, causalScript, runAlone } from '../support/forward-scripts.ts'
import { openRandomModel } from '../support/tiny-models.ts'

const BOUNDS = { F32: 1e-5, F16: 2e-3, Q8_0: 3e-2 } as const
const SCRIPTS = {
  'tiny-dense': canvasScript,
  'tiny-moe': canvasScript,
  'tiny-block': blockScript,
  'tiny-causal': causalScript,
  'tiny-causal-moe': causalScript,
} as const

/** Root of the mean squared difference over the root of the mean square, all rows together; banned ones are left out. */
function relativeRms(rows: readonly Candidates[], expected: readonly Candidates[]): number {
  let [difference, size] = [0, 0]
  for (const [i, row] of rows.entries()) {
    for (const [token, logit] of (row.logits ?? []).entries()) {
      const wanted = expected[i]?.logits?.[token] ?? Number.NaN
      if (wanted === -Infinity && logit === -Infinity) continue
      difference += (logit - wanted) ** 2
      size += wanted ** 2
    }
  }
  return Math.sqrt(difference / size)
}

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
        const far = relativeRms(got, expected)
        ok(far <= BOUNDS[type], `relative RMS ${far}`)
        t.diagnostic(`relative RMS ${far.toExponential(1)}`)
      })
    }
  }
})
