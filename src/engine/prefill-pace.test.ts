import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PrefillPace } from './prefill-pace.ts'

/** Steps as a machine takes them: so long without prompts, so much more for each prompt row, three times that 900 cells further. */
function paceOf(stepMs: number, rowMs: number): PrefillPace {
  const pace = new PrefillPace()
  pace.record([], true, stepMs)
  pace.record([{ at: 0, rows: 32 }], true, stepMs + 32 * rowMs * (1 + 16 / 450))
  return pace
}

describe('prompt rows of a step', () => {
  test('where nobody streams, or nothing is known, are as many as are allowed', () => {
    equal(new PrefillPace().rowsMax([0], true, 128), 128)
    equal(paceOf(8, 0.5).rowsMax([0], false, 128), 128)
  })
  test('beside streams they stretch a step to four times its length at most', () => {
    const rows = paceOf(8, 0.5).rowsMax([0], true, 128)
    ok(rows >= 46 && rows <= 48, `${rows} rows`)
    equal(paceOf(8, 0.01).rowsMax([0], true, 128), 128)
  })
  test('are fewer the more of the prompt stands before them', () => {
    const pace = paceOf(8, 0.5)
    ok(pace.rowsMax([900], true, 128) < 0.4 * pace.rowsMax([0], true, 128))
  })
  test('are never so few that reading the weights is all the work', () => {
    equal(paceOf(8, 50).rowsMax([2000], true, 128), 16)
    equal(paceOf(8, 50).rowsMax([2000], true, 10), 10)
  })
  test('follow a machine that has become slower', () => {
    const pace = paceOf(8, 0.5)
    for (let i = 0; i < 40; i++) pace.record([{ at: 0, rows: 32 }], true, 8 + 32)
    ok(pace.rowsMax([0], true, 128) <= 25)
  })
})
