import type { Clock } from '../lib/clock.ts'

const MINUTE_MS = 60_000
/** Addresses remembered in one minute; beyond that the count begins anew rather than growing without end. */
const REMEMBERED_MAX = 100_000

/** Counts requests of one caller to one route in a minute of the clock. `pass` is false once there were too many. */
export class FloodGuard {
  readonly #clock: Clock
  #minute = 0
  #seen = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `retryAfterMs` is 0 where the request may pass. */
  count(caller: string, route: string, perMinute: number): { retryAfterMs: number } {
    const now = this.#clock.now()
    const minute = Math.floor(now / MINUTE_MS)
    if (minute !== this.#minute || this.#seen.size >= REMEMBERED_MAX) {
      this.#minute = minute
      this.#seen = new Map()
    }
    const name = `${route} ${caller}`
    const used = (this.#seen.get(name) ?? 0) + 1
    this.#seen.set(name, used)
    return { retryAfterMs: used <= perMinute ? 0 : (minute + 1) * MINUTE_MS - now }
  }
}
