import { ok } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { openForward } from '../../src/engine/model/ggml-forward.ts'
import type { Candidates } from '../../src/engine/model/forward.ts'
import { loadReference } from '../reference/reference-model.ts'
import { ReferenceForward } from '../reference/reference-forward.ts'
import { testedKernel } from '../support/kernel.ts'
import { blockScript, canvasScript, causalScript, runAlone } from '../support/forward-scripts.ts'
import { logitsOf, relativeRms } from '../support/relative-rms.ts'
import { openRandomModel } from '../support/tiny-models.ts'

const BOUNDS = { F32: 1e-5, F16: 2e-3, Q8_0: 3e-2, Q4_0: 3e-2, Q4_1: 3e-2 } as const
const kernel = await testedKernel()
/** How the weights are written, and whether the project's own kernel attends and multiplies 4- to 8-bit ones. */
const FORMS = [
  { type: 'F32', packed: false },
  { type: 'F32', packed: true },
  { type: 'F16', packed: false },
  { type: 'F16', packed: true },
  { type: 'Q8_0', packed: false },
  { type: 'Q8_0', packed: true },
  { type: 'Q4_0', packed: true },
  { type: 'Q4_1', packed: true },
] as const
const SCRIPTS = {
  'tiny-dense': canvasScript,
  'tiny-moe': canvasScript,
  'tiny-block': blockScript,
  'tiny-causal': causalScript,
  'tiny-causal-moe': causalScript,
} as const

describe('logits equal those of an independent float64 forward, cached and uncached', () => {
  for (const [like, script] of Object.entries(SCRIPTS)) {
    for (const { type, packed } of FORMS) {
      test(`${like} in ${type}${packed ? ', by the kernel' : ''}: relative RMS at most ${BOUNDS[type]}`, async (t) => {
        const file = await openRandomModel(like, { type })
        const reference = new ReferenceForward(await loadReference(file))
        const forward = await openForward(file, {
          precision: 'file',
          kernel: packed ? kernel : undefined,
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
