import type { Counter, Limits } from '../accounts.ts'
import type { Standing } from './decide-admission.ts'
import { countMinute } from './decide-minute.ts'

/** The counters as a caller reads them: of account and key, the one that will stop it first. */
export function tellLimits(
  standings: readonly Standing[],
  used: (owner: string) => number,
  time: { monotonicMs: number; dayEndsInMs: number },
): Limits {
  const minutes: Counter[] = []
  const days: Counter[] = []
  const resetS = Math.ceil(time.dayEndsInMs / 1000)
  for (const { owner, minute, day, times } of standings) {
    if (minute !== undefined) minutes.push(countMinute(time.monotonicMs, times, minute))
    if (day !== undefined) days.push({ limit: day, remaining: Math.max(day - used(owner), 0), resetS })
  }
  const minute = tightest(minutes)
  const day = tightest(days)
  return { ...(minute && { minute }), ...(day && { day }), concurrent: tightestConcurrent(standings) }
}

function tightest(counters: readonly Counter[]): Counter | undefined {
  return counters.toSorted((a, b) => a.remaining - b.remaining || b.resetS - a.resetS || a.limit - b.limit)[0]
}

function tightestConcurrent(standings: readonly Standing[]): Limits['concurrent'] {
  const all = standings.map(({ concurrent, running }) => ({ limit: concurrent ?? Infinity, running }))
  const first = all.toSorted((a, b) => a.limit - a.running - (b.limit - b.running) || a.limit - b.limit)[0]
  if (first === undefined) throw new Error('Limits of nobody were asked for')
  return first
}
