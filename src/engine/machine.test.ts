import { equal, ok } from 'node:assert/strict'
import { availableParallelism, totalmem } from 'node:os'
import { describe, test } from 'node:test'
import { toySpec } from '../../test/support/toy-forward.ts'
import { countCores, decideCells, measureMemory } from './machine.ts'

describe('what the machine gives', () => {
  test('never more cores or memory than it has', () => {
    ok(countCores() >= 1 && countCores() <= availableParallelism())
    ok(measureMemory() > 0 && measureMemory() <= totalmem())
  })
  test('cells: a sixteenth of the memory, at most 32,768, at least one whole window', () => {
    // SmolLM2-135M: 30 layers, 3 heads of 64, two numbers of two bytes: 23,040 bytes a cell.
    const spec = toySpec('causal-context', { layers: 30, kvHeads: 3, headWidth: 64, contextTokens: 8192 })
    equal(decideCells('auto', spec, 64 * 2 ** 30), 32_768)
    equal(decideCells('auto', spec, 8 * 2 ** 30), Math.floor(2 ** 29 / 23_040))
    equal(decideCells('auto', spec, 2 ** 30), 8192 + 8 + 32)
    equal(decideCells(500, spec, 2 ** 30), 500)
  })
})
