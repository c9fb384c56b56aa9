/** What is known when a request asks to be let in. Milliseconds. */
export type Load = {
  now: number
  deadlineAt: number
  queued: number
  queueMax: number
  running: number
  runningMax: number
  /** How long a request holds its place, averaged; undefined before any has ended. */
  holdMs: number | undefined
}

export type WaitVerdict = { kind: 'wait' } | { kind: 'refuse'; retryAfterSeconds: number }

/** A full queue, or a place that will not come before the deadline, is told at once: waiting for nothing helps nobody. */
export function decideWait(load: Load): WaitVerdict {
  const free = load.runningMax - load.running
  const ahead = load.queued + 1 - free
  // Places come free one by one: with r running for h ms each, one every h / r.
  const waitMs = ahead <= 0 ? 0 : (ahead * (load.holdMs ?? 0)) / Math.max(1, load.running)
  const full = ahead > 0 && load.queued >= load.queueMax
  if (!full && load.now + waitMs < load.deadlineAt) return { kind: 'wait' }
  return { kind: 'refuse', retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) }
}
