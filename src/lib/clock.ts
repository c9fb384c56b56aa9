/** Time as an argument: production passes `systemClock`, tests pass one they turn by hand. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds that never go back, for durations. */
  monotonicMs(): number
}

export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now() }
