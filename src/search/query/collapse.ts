import { differingBits } from '../text/differing-bits.ts'
import type { Ranked } from './rank/rank.ts'
import type { Signals } from './signals.ts'

const PER_HOST = 2
/** Texts that differ in no more bits of their simhash are nearly the same (Manku et al., WWW 2007: 3 of 64). */
const SAME_BITS_MAX = 3
/** What moves down keeps a share of its score: it stands below what is nearly as good, and above what is far worse. */
const COPY_SHARE = 0.5
const CROWD_SHARE = 0.75

/**
 * Near-duplicates, and pages of a host after its second, move down; nothing vanishes. The list is the same for every page
 * of a query, so it is cut after this, never before. Its order is total if that of `ranked` is.
 */
export function collapse(ranked: Ranked[], signals: Signals): Ranked[] {
  const perHost = new Map<number, number>()
  const shown = new ShownTexts()
  const placed = ranked.map((each, place) => {
    const host = signals.host[each.id] ?? 0
    const high = signals.simhashHigh[each.id] ?? 0
    const low = signals.simhashLow[each.id] ?? 0
    const before = perHost.get(host) ?? 0
    const share = shown.holds(high, low) ? COPY_SHARE : before >= PER_HOST ? CROWD_SHARE : 1
    if (share === 1) perHost.set(host, before + 1)
    // A page that moves down for its host is shown all the same: copies of it move further.
    if (share > COPY_SHARE) shown.add(high, low)
    return { each: share === 1 ? each : { ...each, score: each.score * share }, place }
  })
  placed.sort((a, b) => b.each.score - a.each.score || a.place - b.place)
  return placed.map(({ each }) => each)
}

/** Simhashes seen, found by their quarters: of two that differ in at most three bits, one quarter of four is equal. */
class ShownTexts {
  readonly #byQuarter = new Map<number, [number, number][]>()

  holds(high: number, low: number): boolean {
    if (high === 0 && low === 0) return false
    return quartersOf(high, low).some((quarter) =>
      (this.#byQuarter.get(quarter) ?? []).some((other) => differingBits(other, [high, low]) <= SAME_BITS_MAX),
    )
  }

  add(high: number, low: number): void {
    for (const quarter of quartersOf(high, low)) {
      const list = this.#byQuarter.get(quarter)
      if (list === undefined) this.#byQuarter.set(quarter, [[high, low]])
      else list.push([high, low])
    }
  }
}

function quartersOf(high: number, low: number): number[] {
  return [high >>> 16, 65_536 + (high & 65_535), 131_072 + (low >>> 16), 196_608 + (low & 65_535)]
}
