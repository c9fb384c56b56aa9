import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ThreadTuner } from './thread-tuner.ts'

/** Runs steps of 5 rows; `ms` tells how long one takes with so many threads. Returns how many ran on each count. */
function run(tuner: ThreadTuner, steps: number, ms: (threads: number) => number): Map<number, number> {
  const counts = new Map<number, number>()
  for (let i = 0; i < steps; i++) {
    const { threads } = tuner
    counts.set(threads, (counts.get(threads) ?? 0) + 1)
    tuner.record(5, ms(threads))
  }
  return counts
}

describe('threads', () => {
  test('a fixed number stays, within the cores; one core is one thread', () => {
    equal(new ThreadTuner(8, 3).threads, 3)
    equal(new ThreadTuner(2, 64).threads, 2)
    equal(run(new ThreadTuner(1, 'auto'), 500, () => 10).get(1), 500)
  })
  test('all cores but one; the last one is taken while it makes steps faster', () => {
    const tuner = new ThreadTuner(2, 'auto')
    equal(tuner.threads, 1)
    const counts = run(tuner, 1000, (threads) => (threads === 2 ? 6 : 10))
    equal(tuner.threads, 2)
    ok((counts.get(2) ?? 0) > 900)
  })
  test('a thread that brings nothing is given back, and tried ever more seldom', () => {
    const counts = run(new ThreadTuner(2, 'auto'), 10_000, () => 10)
    ok((counts.get(2) ?? 0) <= 16 * 9, `${counts.get(2)} steps were spent on trials`)
  })
  test('a single disastrous step ends a trial', () => {
    const counts = run(new ThreadTuner(2, 'auto'), 2000, (threads) => (threads === 2 ? 500 : 10))
    ok((counts.get(2) ?? 0) <= 6, `${counts.get(2)} disastrous steps`)
  })
  test('it is dropped at once when other work takes the core', () => {
    const tuner = new ThreadTuner(4, 'auto')
    run(tuner, 500, (threads) => (threads === 4 ? 6 : 10))
    equal(tuner.threads, 4)
    tuner.record(5, 40)
    equal(tuner.threads, 3)
  })
})
