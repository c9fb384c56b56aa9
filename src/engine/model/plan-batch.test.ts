import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { windowStep } from '../../../test/support/forward-scripts.ts'
import type { Span, Work } from './forward.ts'
import { planBatch, type BatchShape } from './plan-batch.ts'

const MASK = 99
const STARTS = [0, 64]
const shape: BatchShape = {
  group: 1,
  adapters: true,
  columnsMin: 2,
  maskToken: MASK,
  fused: false,
  startOf: ({ lease }) => STARTS[lease.id] ?? 0,
}
const work = (id: number, spans: Span[]): Work => ({ lease: { id, cells: 64 }, spans })
const seen = (mask: Float32Array, row: number, cells: number) =>
  Array.from(
    mask
      .subarray(row * cells, (row + 1) * cells)
      .entries()
      .filter(([, value]) => value === 0),
  ).map(([i]) => i)

describe('two windowed works', () => {
  const plan = planBatch(
    [work(0, windowStep(3, [11, 12], [12, MASK])), work(1, windowStep(0, [21], [21, MASK, MASK]))],
    shape,
  )

  test('stand in batch order: all causal rows first, then all window rows', () => {
    deepEqual([...plan.tokens], [11, 12, 21, 12, MASK, 21, MASK, MASK])
    deepEqual([...plan.positions], [3, 4, 0, 4, 5, 0, 1, 2])
    equal(plan.adaptedFrom, 3)
    deepEqual([...plan.maskedRows], [4, 6, 7])
  })

  test('write each row to its own cell of its own lease', () => {
    deepEqual([...plan.cells], [3, 4, 65 - 1, 5, 6, 65, 66, 67])
  })

  test('change to work order and back', () => {
    deepEqual([...(plan.toWork ?? [])], [0, 1, 3, 4, 2, 5, 6, 7])
    for (const [workRow, batchRow] of (plan.toWork ?? []).entries()) equal(plan.toBatch?.[batchRow], workRow)
  })

  test('see what their spans say', () => {
    const [first] = plan.works
    if (first === undefined) throw new Error('two works were planned')
    equal(first.cells, 32)
    deepEqual(seen(first.mask, 1, 32), [0, 1, 2, 3, 4])
    deepEqual(seen(first.mask, 2, 32), [0, 1, 2, 3, 5, 6])
  })

  test('are answered works in order, spans in order', () => {
    deepEqual(plan.wantedOf, [4, 4])
    deepEqual(plan.wanted, [0, 1, 3, 4, 2, 5, 6, 7])
  })
})

describe('products never have a single column', () => {
  const single = windowStep(0, [7], [])

  test('a single row is doubled, and so is its mask where heads share no keys', () => {
    const plan = planBatch([work(0, single)], shape)
    deepEqual([plan.rows, plan.rowsAll, plan.works[0]?.maskRows], [1, 2, 2])
    deepEqual([...(plan.toBatch ?? [])], [0, 0])
  })

  test('a single row with adapters is doubled at the end', () => {
    const plan = planBatch([work(0, windowStep(0, [7, 8], [8]))], shape)
    deepEqual([...plan.tokens], [7, 8, 8, 8])
    equal(plan.adaptedFrom, 2)
  })

  test('where heads share keys, one row of a work is enough', () => {
    const plan = planBatch([work(0, single), work(1, single)], { ...shape, group: 3 })
    deepEqual([plan.rows, plan.rowsAll, plan.works[0]?.maskRows], [2, 2, 1])
    equal(plan.toWork, undefined)
  })

  test('where a processor needs more columns, rows and masks are repeated up to them', () => {
    const plan = planBatch([work(0, windowStep(0, [7, 8, 9], [9, MASK]))], { ...shape, columnsMin: 8 })
    deepEqual([...plan.tokens], [7, 8, 9, 9, MASK, ...Array<number>(6).fill(MASK)])
    deepEqual([plan.adaptedFrom, plan.works[0]?.rows, plan.works[0]?.maskRows], [3, 5, 10])
    const mask = plan.works[0]?.mask ?? new Float32Array()
    deepEqual(mask.subarray(0, 5 * 32), mask.subarray(5 * 32))
  })
})
