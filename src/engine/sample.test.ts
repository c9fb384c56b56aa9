import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import type { Candidates } from './model/forward.ts'
import { philox, uniform } from './noise.ts'
import { drawToken } from './sample.ts'

const candidates = (...probabilities: number[]): Candidates => ({
  ids: Int32Array.from(probabilities, (_, i) => 100 + i),
  probabilities: Float32Array.from(probabilities),
})

/** How often each of the candidates is drawn over many positions. */
function frequencies(from: Candidates, temperature: number, topP: number, seed = 1, draws = 20_000): number[] {
  const counts = Array.from(from.ids, () => 0)
  for (let position = 0; position < draws; position++) {
    const i = from.ids.indexOf(drawToken(from, position, { temperature, topP, seed }).token)
    counts[i] = (counts[i] ?? 0) + 1
  }
  return counts.map((count) => count / draws)
}

/** 20,000 draws: 4.5 standard deviations of a frequency are at most 0.016. */
function near(got: number[], want: number[]): void {
  for (const [i, p] of want.entries())
    ok(Math.abs((got[i] ?? 0) - p) < 0.016, `${got.join(' ')} is not near ${want.join(' ')}`)
}

describe('Philox4x32-10', () => {
  // Known answers of the authors' library, file kat_vectors.
  const cases = [
    { counter: [0, 0, 0, 0], key: [0, 0], want: '6627e8d5 e169c58d bc57ac4c 9b00dbd8' },
    { counter: [-1, -1, -1, -1], key: [-1, -1], want: '408f276d 41c83b0e a20bc7c6 6d5451fd' },
    {
      counter: [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      key: [0xa4093822, 0x299f31d0],
      want: 'd16cfe09 94fdcceb 5001e420 24126ea1',
    },
  ] as const
  for (const { counter, key, want } of cases) {
    test(`gives ${want}`, () => {
      equal(
        philox(counter, key)
          .map((word) => word.toString(16).padStart(8, '0'))
          .join(' '),
        want,
      )
    })
  }
  test('is uniform over positions, over tokens and over seeds', () => {
    const along: ((i: number) => number)[] = [
      (i) => uniform(7, i, 3),
      (i) => uniform(7, 3, i),
      (i) => uniform(i - 10_000, 3, 3),
      (i) => uniform(i * 2 ** 33, 3, 3),
    ]
    for (const draw of along) {
      const bins = Array.from({ length: 20 }, () => 0)
      for (let i = 0; i < 20_000; i++) {
        const bin = Math.floor(draw(i) * 20)
        bins[bin] = (bins[bin] ?? 0) + 1
      }
      const chiSquared = bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
      ok(chiSquared < 50, `chi squared ${chiSquared} with 19 degrees of freedom`)
    }
  })
  test('never gives 0 or 1, for any safe seed', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.nat(), fc.nat(200_000), (seed, position, token) => {
        const u = uniform(seed, position, token)
        ok(u > 0 && u < 1)
      }),
    )
  })
})

describe('a draw', () => {
  test('follows the probabilities at temperature 1', () => {
    near(frequencies(candidates(0.5, 0.3, 0.2), 1, 1), [0.5, 0.3, 0.2])
  })
  test('follows their tempered form', () => {
    const squares = [0.25, 0.09, 0.04]
    const sum = 0.38
    near(
      frequencies(candidates(0.5, 0.3, 0.2), 0.5, 1),
      squares.map((x) => x / sum),
    )
  })
  test('looks only at the smallest set whose mass reaches top_p', () => {
    near(frequencies(candidates(0.5, 0.3, 0.2), 1, 0.8), [0.625, 0.375, 0])
    near(frequencies(candidates(0.5, 0.3, 0.2), 1, 0.51), [0.625, 0.375, 0])
    near(frequencies(candidates(0.5, 0.3, 0.2), 1, 0.1), [1, 0, 0])
  })
  test('at temperature 0 takes the likeliest, of equals the lowest id', () => {
    equal(drawToken(candidates(0.4, 0.4, 0.2), 3, { temperature: 0, topP: 1, seed: 1 }).token, 100)
  })
  test('is the same for the same seed and place, and differs for others', () => {
    const even = candidates(...Array.from({ length: 64 }, () => 1 / 64))
    const reply = (seed: number): number[] =>
      Array.from({ length: 50 }, (_, position) => drawToken(even, position, { temperature: 1, topP: 1, seed }).token)
    deepEqual(reply(5), reply(5))
    ok(reply(5).filter((token, i) => token === reply(6)[i]).length < 10)
    ok(reply(5).filter((token, i) => token === reply(5 + 2 ** 32)[i]).length < 10)
  })
  test('does not change when candidates that the nucleus leaves out are missing', () => {
    for (let position = 0; position < 200; position++) {
      const sampling = { temperature: 0.7, topP: 0.5, seed: 11 }
      const long = drawToken(candidates(0.5, 0.3, 0.1, 0.001), position, sampling)
      equal(drawToken(candidates(0.5, 0.3, 0.1), position, sampling).token, long.token)
    }
  })
  test('is as sure as the untempered probability of its token, and tells the entropy', () => {
    const draw = drawToken(candidates(0.5, 0.25, 0.25), 0, { temperature: 0.1, topP: 1, seed: 1 })
    equal(draw.confidence, 0.5)
    ok(Math.abs(draw.entropy - 1.5 * Math.log(2)) < 1e-6)
  })
})
