import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { collapse } from './collapse.ts'
import { REASONS, type Ranked, type Reason } from './rank/rank.ts'
import { Signals } from './signals.ts'

const why = Object.fromEntries(REASONS.map((reason) => [reason, 0])) as Record<Reason, number>

function listOf(pages: { host: number; simhash?: [number, number]; score: number }[]): [Ranked[], Signals] {
  const signals = new Signals()
  const ranked = pages.map(({ host, simhash = [0, 0], score }, id) => {
    signals.host[id] = host
    signals.simhashHigh[id] = simhash[0]
    signals.simhashLow[id] = simhash[1]
    return { id, score, why }
  })
  return [ranked, signals]
}

const idsOf = (ranked: Ranked[], signals: Signals): number[] => collapse(ranked, signals).map(({ id }) => id)

describe('crowding', () => {
  test('the third page of a host moves below others that are nearly as good', () => {
    const hosts = [1, 1, 1, 2, 1].map((host, i) => ({ host, score: 1 - i / 100 }))
    deepEqual(idsOf(...listOf(hosts)), [0, 1, 3, 2, 4])
  })

  test('but not below what is far worse', () => {
    const pages = [1, 0.9, 0.8, 0.3].map((score, i) => ({ host: i === 3 ? 2 : 1, score }))
    deepEqual(idsOf(...listOf(pages)), [0, 1, 2, 3])
  })

  test('texts that differ in three bits of 64 are the same one, in four they are not', () => {
    const base = [0x1234_5678, 0x9abc_def0] as const
    const three: [number, number] = [(base[0] ^ 0x8000_0001) >>> 0, base[1] ^ 1]
    const four: [number, number] = [(base[0] ^ 0x8000_0001) >>> 0, base[1] ^ 3]
    const pages = [[...base], three, four].map((simhash, host) => ({
      host,
      simhash: simhash as [number, number],
      score: 1 - host / 100,
    }))
    deepEqual(idsOf(...listOf(pages)), [0, 2, 1])
  })

  test('nothing vanishes, nothing comes twice, and doing it again gives the same', () => {
    const page = fc.record({
      host: fc.integer({ min: 1, max: 4 }),
      simhash: fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 0, max: 7 })),
      score: fc.float({ min: 0, max: 2, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(page), (pages) => {
        const [ranked, signals] = listOf(pages.toSorted((a, b) => b.score - a.score))
        const once = idsOf(ranked, signals)
        deepEqual(once, idsOf(ranked, signals))
        equal(new Set(once).size, pages.length)
      }),
    )
  })
})
