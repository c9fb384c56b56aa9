import { decideMinute } from './decide-minute.ts'

/** One who is limited (an account, or a key of it) as things stand. An absent number is no limit. */
export type Standing = {
  owner: string
  minute: number | undefined
  day: number | undefined
  concurrent: number | undefined
  running: number
  times: readonly number[]
}

export type Verdict = { kind: 'allow' } | { kind: 'deny'; reason: 'concurrent' | 'minute'; retryAfterMs: number }

/** Nobody can know when a running call ends; a second is what a client may sensibly wait. */
const CONCURRENT_RETRY_MS = 1_000

/** What can be decided in memory, in the order of the contract; the day is spent last, by `spendDay`. */
export function decideAdmission(now: number, standings: readonly Standing[]): Verdict {
  const full = standings.some(({ concurrent, running }) => concurrent !== undefined && running >= concurrent)
  if (full) return { kind: 'deny', reason: 'concurrent', retryAfterMs: CONCURRENT_RETRY_MS }
  let retryAfterMs = 0
  for (const { minute, times } of standings) {
    if (minute === undefined) continue
    const verdict = decideMinute(now, times, minute)
    if (verdict.kind === 'deny') retryAfterMs = Math.max(retryAfterMs, verdict.retryAfterMs)
  }
  return retryAfterMs === 0 ? { kind: 'allow' } : { kind: 'deny', reason: 'minute', retryAfterMs }
}
