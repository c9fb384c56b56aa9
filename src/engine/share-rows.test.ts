import { deepEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { shareRows } from './share-rows.ts'

describe('prompt rows of a forward', () => {
  test('small needs are met whole, the large ones share the rest', () => {
    deepEqual(shareRows([500, 10, 300, 4], 128), [57, 10, 57, 4])
    deepEqual(shareRows([30], 128), [30])
    deepEqual(shareRows([], 128), [])
  })
  test('everyone moves, nobody gets more than it needs, and the budget holds where there is a row for each', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 512 }),
        (needs, budget) => {
          const shares = shareRows(needs, budget)
          for (const [i, share] of shares.entries()) ok(share >= 1 && share <= (needs[i] ?? 0))
          const sum = shares.reduce((all, share) => all + share, 0)
          ok(sum <= Math.max(budget, needs.length))
          // Nothing is left over while someone still waits.
          if (sum < budget) deepEqual(shares, needs)
        },
      ),
    )
  })
})
