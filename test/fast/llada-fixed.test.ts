import { deepEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { openForward } from '../../src/engine/model/ggml-forward.ts'
import { ModelFile } from '../../src/engine/weights/model-file.ts'
import { decodeAlone } from '../support/decode.ts'

const FOLDER = join(import.meta.dirname, '../fixtures/engine')

type Recorded = {
  file: string
  prompt: number[]
  runs: { length: number; block: number; steps: number; commits: { positions: number[]; tokens: number[] }[] }[]
}

// Recorded by training/ with LLaDA's published procedure (generate.py), rewritten in PyTorch F32, greedy.
describe('rule fixed commits what LLaDA’s procedure commits, step by step', () => {
  for (const name of ['llada', 'llada-moe']) {
    const recorded = JSON.parse(readFileSync(join(FOLDER, `${name}-fixed.json`), 'utf8')) as Recorded
    for (const run of recorded.runs) {
      test(`${name}: ${run.length} tokens in blocks of ${run.block}, ${run.steps} steps`, async () => {
        const file = await ModelFile.open(join(FOLDER, recorded.file))
        const forward = await openForward(file, {
          precision: 'f32',
          cacheType: 'f32',
          cells: 128,
          threads: 1,
          keepLogits: false,
        })
        after(async () => {
          forward.close()
          await file.close()
        })
        const reply = await decodeAlone({
          // The procedure knows no end: every step of every block runs.
          spec: { ...file.spec, endTokens: [-1] },
          decoding: {
            rule: 'fixed',
            threshold: 1,
            window: run.block,
            perStep: Math.ceil(run.length / run.steps),
            exact: true,
          },
          sampling: { temperature: 0, topP: 1, seed: 1 },
          prompt: recorded.prompt,
          tokensMax: run.length,
          rowsMax: 999,
          forward,
        })
        const commits = reply.outcomes.map(({ set }) => ({
          positions: set.map((mark) => mark.position + recorded.prompt.length),
          tokens: set.map((mark) => mark.token),
        }))
        ok(commits.length > 0)
        deepEqual(commits, run.commits)
      })
    }
  }
})
