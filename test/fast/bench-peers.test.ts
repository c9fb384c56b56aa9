/** What the bench asks llama.cpp's diffusion program for, and how it reads what that prints. */
import { deepEqual, equal, match, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { diffusionCliPlan, findProgress, readTotalMs } from '../../bench/peers/diffusion-cli.ts'
import { renderPeers } from '../../scripts/speed-tables.ts'

describe('llama-diffusion-cli', () => {
  test('steps are divided by all blocks, the prompt’s included; what sets nothing is told apart', () => {
    const { flags, useful, computed } = diffusionCliPlan({ prompt: 32, reply: 256, block: 32, perStep: 4 })
    const flag = (name: string) => flags[flags.indexOf(name) + 1]
    equal(flag('-ub'), '288')
    // Its own rule: a whole number of steps for each of the 9 blocks.
    equal(flag('--diffusion-steps'), '72')
    deepEqual({ useful, computed }, { useful: 64, computed: 65 })
  })
  test('a canvas that is no whole blocks is refused, which the program would abort of', () => {
    throws(() => diffusionCliPlan({ prompt: 30, reply: 256, block: 32, perStep: 4 }), /whole blocks/)
  })
  test('its time is read from what it prints; an output without one is told', () => {
    const output =
      '\rdiffusion step: 71/72\ntotal time: 15234.50ms, time per step: 211.59ms, sampling time per step: 1.02ms\n'
    equal(readTotalMs(output), 15_234.5)
    throws(() => readTotalMs('GGML_ASSERT'), /told no time:\nGGML_ASSERT/)
  })
  test('the build’s progress is the last that make or ninja told', () => {
    equal(findProgress('[ 1%] Building A\n[ 12%] Building B\n'), '[ 12%]')
    equal(findProgress('[40/262] Building A'), '[40/262]')
    equal(findProgress('-- Configuring done'), undefined)
  })
})

test('a part of the peers’ result that was not measured yet has no table', () => {
  const where = { machine: 'm', at: '2027-01-01' }
  const base = { ...where, rows: [], prompts: 1, tokensMax: 1 }
  const rows = [{ name: 'block by block', threads: 1, tokensPerSecond: 170.04, times: 10.1, equalTokens: 0.5 }]
  const canvas = { ...where, rows, block: 32, perStep: 4, parameters: 44_000_000, equalButRounding: 0.55 }
  match(renderPeers({ base }), /^\| One token(?!.*canvas)/s)
  match(renderPeers({ base, canvas }), /\n\n\| A canvas[\s\S]* \| 170\.0 \| 10\.1 \| 1 \| 50% \|\n/)
})
