import type { Counter } from '../accounts.ts'

const MINUTE_MS = 60_000

export type MinuteVerdict = { kind: 'allow' } | { kind: 'deny'; retryAfterMs: number }

/**
 * At most `limit` calls in any 60 s, exactly (a sliding log: a fixed window would let twice as many through around its
 * edge). times: monotonic ms of the calls let in, oldest first. Reads nothing and writes nothing.
 */
export function decideMinute(now: number, times: readonly number[], limit: number): MinuteVerdict {
  const free = times[times.length - limit]
  if (free === undefined || free + MINUTE_MS <= now) return { kind: 'allow' }
  return { kind: 'deny', retryAfterMs: Math.ceil(free + MINUTE_MS - now) }
}

export function countMinute(now: number, times: readonly number[], limit: number): Counter {
  const running = times.length - countOld(now, times)
  const newest = times.at(-1)
  const resetMs = running === 0 || newest === undefined ? 0 : newest + MINUTE_MS - now
  return { limit, remaining: Math.max(limit - running, 0), resetS: Math.ceil(resetMs / 1000) }
}

/** How many of the times, from the first, are over a minute old. */
export function countOld(now: number, times: readonly number[]): number {
  const first = times.findIndex((time) => time + MINUTE_MS > now)
  return first === -1 ? times.length : first
}
