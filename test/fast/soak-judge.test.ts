import { equal, ok, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { judgeSteady } from '../../bench/soak/judge.ts'
import { seededRandom } from '../../bench/search/random.ts'

const random = seededRandom(7)

/** Two hours, four samples a minute; `value` of a minute, with a sawtooth as collectors make it. */
function samplesOf(value: (minute: number) => number): { minute: number; value: number }[] {
  return Array.from({ length: 480 }, (_, i) => ({ minute: i / 4, value: value(i / 4) + 20 * random() }))
}

describe('memory of a long run', () => {
  test('is steady where it only goes up and down', () => {
    const { steady, slopeAnHour } = judgeSteady(
      samplesOf(() => 300),
      16,
    )
    ok(steady)
    ok(Math.abs(slopeAnHour) < 3, `${slopeAnHour} an hour`)
  })
  test('is steady where it grew while the server warmed up', () => {
    ok(
      judgeSteady(
        samplesOf((minute) => 200 + 10 * Math.min(minute, 28)),
        16,
      ).steady,
    )
  })
  test('is not steady where 30 MB an hour are never given back', () => {
    const { steady, slopeAnHour } = judgeSteady(
      samplesOf((minute) => 200 + minute / 2),
      16,
    )
    equal(steady, false)
    ok(Math.abs(slopeAnHour - 30) < 3, `${slopeAnHour} an hour`)
  })
  test('cannot be told from a handful of samples', () => {
    throws(() => judgeSteady(samplesOf(() => 300).slice(0, 10), 16), /at least 12/)
  })
})
