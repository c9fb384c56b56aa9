/** Whether a figure that was sampled for hours stands still. */
import { median } from '../figures.ts'

export type Sample = { minute: number; value: number }

export type Verdict = {
  /** Medians of the first and the last third of what comes after warm-up. */
  first: number
  last: number
  /** Of the straight line through the medians of single minutes (Theil and Sen: the median of all slopes). */
  slopeAnHour: number
  steady: boolean
}

/** Caches, the heap's own growth and the allocator's reserves fill in the first part of a run. */
const WARM_UP_SHARE = 0.25

/**
 * Steady: the last third's median is above the first third's by at most `growthMax`, or by at most a twentieth of it.
 * Throws below 12 samples after warm-up.
 */
export function judgeSteady(samples: readonly Sample[], growthMax: number): Verdict {
  const end = Math.max(...samples.map(({ minute }) => minute))
  const kept = samples.filter(({ minute }) => minute >= WARM_UP_SHARE * end)
  if (kept.length < 12) throw new Error(`${kept.length} samples after warm-up tell nothing; at least 12 are needed`)
  const third = Math.floor(kept.length / 3)
  const values = kept.map(({ value }) => value)
  const first = median(values.slice(0, third))
  const last = median(values.slice(-third))
  const steady = last - first <= Math.max(growthMax, first / 20)
  return { first, last, slopeAnHour: 60 * medianSlope(byMinute(kept)), steady }
}

function byMinute(samples: readonly Sample[]): Sample[] {
  const groups = Map.groupBy(samples, ({ minute }) => Math.floor(minute))
  return [...groups].map(([minute, group]) => ({ minute, value: median(group.map(({ value }) => value)) }))
}

function medianSlope(samples: readonly Sample[]): number {
  const slopes = samples.flatMap((a, i) =>
    samples.slice(i + 1).map((b) => (b.value - a.value) / Math.max(1, b.minute - a.minute)),
  )
  return slopes.length === 0 ? 0 : median(slopes)
}
