import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { countMinute, decideMinute } from './decide-minute.ts'

const MINUTE_MS = 60_000
const gaps = fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 60 })
const limits = fc.integer({ min: 1, max: 8 })

/** The moments at which calls were let in, when one is tried after each gap. */
function play(pauses: readonly number[], limit: number): number[] {
  const times: number[] = []
  let now = 0
  for (const pause of pauses) {
    now += pause
    if (decideMinute(now, times, limit).kind === 'allow') times.push(now)
  }
  return times
}

describe('a minute limit', () => {
  test('never lets more than its number in, in any 60 s', () => {
    fc.assert(
      fc.property(gaps, limits, (pauses, limit) => {
        const times = play(pauses, limit)
        for (const start of times) {
          equal(times.filter((time) => time >= start && time < start + MINUTE_MS).length <= limit, true)
        }
      }),
    )
  })
  test('tells exactly how long to wait: a millisecond less is refused, then it is let in', () => {
    fc.assert(
      fc.property(gaps, limits, (pauses, limit) => {
        const times = play(pauses, limit)
        const now = times.at(-1) ?? 0
        const verdict = decideMinute(now, times, limit)
        if (verdict.kind === 'allow') return
        equal(decideMinute(now + verdict.retryAfterMs - 1, times, limit).kind, 'deny')
        equal(decideMinute(now + verdict.retryAfterMs, times, limit).kind, 'allow')
      }),
    )
  })
  test('tells whole milliseconds, also under a clock that has fractions', () => {
    deepEqual(decideMinute(0.75, [0.5], 1), { kind: 'deny', retryAfterMs: MINUTE_MS })
  })
  test('lets in exactly what it tells as remaining', () => {
    fc.assert(
      fc.property(gaps, limits, (pauses, limit) => {
        const times = play(pauses, limit)
        const now = times.at(-1) ?? 0
        const { remaining } = countMinute(now, times, limit)
        for (let i = 0; i < remaining; i++) {
          equal(decideMinute(now, times, limit).kind, 'allow')
          times.push(now)
        }
        equal(decideMinute(now, times, limit).kind, 'deny')
      }),
    )
  })
  test('is full again after the seconds it tells', () => {
    deepEqual(countMinute(0, [], 3), { limit: 3, remaining: 3, resetS: 0 })
    deepEqual(countMinute(10_500, [0, 10_000], 3), { limit: 3, remaining: 1, resetS: 60 })
    deepEqual(countMinute(60_000, [0, 10_000], 3), { limit: 3, remaining: 2, resetS: 10 })
    deepEqual(countMinute(70_000, [0, 10_000], 3), { limit: 3, remaining: 3, resetS: 0 })
  })
  test('lowered while calls run, it waits until enough of them are old', () => {
    deepEqual(decideMinute(100, [0, 10, 20], 1), { kind: 'deny', retryAfterMs: MINUTE_MS + 20 - 100 })
  })
})
