import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ThreadTuner } from './thread-tuner.ts'

/** Runs steps of 5 rows; `ms` tells how long one takes with so many threads. Returns how many ran on each count. */
function run(tuner: ThreadTuner, steps: number, ms: (threads: number, step: number) => number): Map<number, number> {
  const counts = new Map<number, number>()
  for (let i = 0; i < steps; i++) {
    const { threads } = tuner
    counts.set(threads, (counts.get(threads) ?? 0) + 1)
    tuner.record(5, ms(threads, i))
  }
  return counts
}

const gains = (threads: number): number => (threads === 2 ? 6 : 10)

describe('threads', () => {
  test('a fixed number stays, within the cores; one core is one thread', () => {
    equal(new ThreadTuner(8, 3).threads, 3)
    equal(new ThreadTuner(2, 64).threads, 2)
    equal(run(new ThreadTuner(1, 'auto'), 500, () => 10).get(1), 500)
  })
  test('all cores but one; the last one is taken while it makes steps faster', () => {
    const tuner = new ThreadTuner(2, 'auto')
    equal(tuner.threads, 1)
    const counts = run(tuner, 1000, gains)
    equal(tuner.threads, 2)
    ok((counts.get(2) ?? 0) > 900)
  })
  test('a thread that brings nothing is given back, and tried ever more seldom', () => {
    const counts = run(new ThreadTuner(2, 'auto'), 10_000, () => 10)
    ok((counts.get(2) ?? 0) <= 16 * 9, `${counts.get(2)} steps were spent on trials`)
  })
  test('two slow steps end a trial', () => {
    const counts = run(new ThreadTuner(2, 'auto'), 2000, (threads) => (threads === 2 ? 15 : 10))
    ok((counts.get(2) ?? 0) <= 10, `${counts.get(2)} slow steps`)
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
  test('a hiccup now and then costs no thread', () => {
    const counts = run(new ThreadTuner(2, 'auto'), 20_000, (threads, i) => gains(threads) + (i % 100 === 0 ? 9 : 0))
    ok((counts.get(2) ?? 0) > 19_000, `${counts.get(2)} of 20,000 steps on two threads`)
  })
})

describe('neighbours', () => {
  test('cores that others use are not taken, nor tried', () => {
    const tuner = new ThreadTuner(2, 'auto')
    tuner.leave(1)
    equal(run(tuner, 5000, gains).get(2), undefined)
    tuner.leave(1.9)
    run(tuner, 2, gains)
    equal(tuner.threads, 2)
  })
  test('the usual threads go down to what is free, and come back', () => {
    const tuner = new ThreadTuner(16, 'auto')
    equal(tuner.threads, 15)
    tuner.leave(12.7)
    equal(tuner.threads, 13)
    tuner.leave(-24)
    equal(tuner.threads, 1)
    tuner.leave(16)
    equal(tuner.threads, 15)
  })
  test('one thread more goes when they come, and is back soon after they have left', () => {
    const tuner = new ThreadTuner(2, 'auto')
    run(tuner, 500, gains)
    equal(tuner.threads, 2)
    tuner.leave(1.5)
    equal(tuner.threads, 1)
    run(tuner, 1000, gains)
    tuner.leave(2)
    run(tuner, 2, gains)
    equal(tuner.threads, 2)
  })
  test('a share of a large machine is no smaller for neighbours on its other cores', () => {
    const tuner = new ThreadTuner(4, 'auto')
    tuner.leave(64 - 40)
    equal(run(tuner, 500, (threads) => (threads === 4 ? 6 : 10)).get(1), undefined)
    equal(tuner.threads, 4)
  })
  test('one more thread is measured against as many as are usual now', () => {
    const tuner = new ThreadTuner(4, 'auto')
    const ms = (threads: number): number => 40 / threads
    tuner.leave(2)
    run(tuner, 1000, ms)
    tuner.leave(4)
    const counts = run(tuner, 64 + 16, (threads) => (threads === 4 ? 12.5 : 40 / threads))
    equal(counts.get(4), 16)
    equal(tuner.threads, 3)
  })
  test('a fixed number does not move for them', () => {
    const tuner = new ThreadTuner(4, 3)
    tuner.leave(0)
    equal(tuner.threads, 3)
  })
})
