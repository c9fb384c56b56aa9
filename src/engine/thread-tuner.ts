/** Samples of one trial, and of the watch over what it brought. */
const TRIAL_STEPS = 16
const WATCH_STEPS = 10
/** One more thread must make steps this much faster to be worth a core. */
const GAIN = 0.85
/** Two of the watched steps above it: what one thread more had gained is lost. */
const ALARM = 1.25
/** A single step this much slower says that the cores are taken: the threads spin for one another. */
const DISASTER = 3
/** Steps on the usual threads before the next trial; doubled after each one that failed. */
const REST_STEPS = 64
const REST_STEPS_MAX = 8192
/** One more thread that has served so long was no failure when it goes: the next trial comes soon. */
const SERVED_STEPS = 256
/** Cores count as free while others use this much of one at most. */
const SLACK = 0.4

/**
 * How many threads compute. ggml's threads spin while they wait for one another: where one of them has lost its core to another process, a
 * step of 10 ms was seen to take seconds. So never more threads than the cores that others leave free. All of
 * the machine's but one are usual, where as many are free; while all are, the last is tried now and then, kept only while steps gain from it
 * and dropped at once when they lose.
 */
export class ThreadTuner {
  readonly #cores: number
  readonly #fixed: number | undefined
  #free: number
  /** Milliseconds on the usual threads, averaged, by size of the step. */
  readonly #base = new Map<number, number>()
  #ratios: number[] = []
  #more = false
  #rest = REST_STEPS
  #left = REST_STEPS
  /** Steps since one thread more is tried. */
  #served = 0

  /** A fixed number never changes, and neither does the only core; more threads than cores there never are. */
  constructor(cores: number, wish: number | 'auto') {
    this.#cores = cores
    this.#free = cores
    this.#fixed = wish === 'auto' ? undefined : Math.min(wish, cores)
  }

  get threads(): number {
    return this.#fixed ?? (this.#more ? this.#cores : this.#usual)
  }

  /** Other processes left so many of the machine's cores free, lately; these may be more than this process's share. */
  leave(free: number): void {
    const before = this.#usual
    this.#free = Math.max(1, Math.min(this.#cores, Math.floor(free + SLACK)))
    if (this.#more && this.#free < this.#cores) this.#drop(REST_STEPS)
    if (this.#usual === before) return
    // What was measured on another number of threads is no base for a trial.
    this.#base.clear()
    this.#left = Math.max(this.#left, REST_STEPS)
  }

  /** After each forward. */
  record(rows: number, ms: number): void {
    if (this.#fixed !== undefined || this.#cores === 1) return
    const size = Math.round(2 * Math.log2(rows + 1))
    const base = this.#base.get(size)
    if (!this.#more) {
      this.#base.set(size, base === undefined ? ms : 0.8 * base + 0.2 * ms)
      this.#left--
      this.#more = this.#left <= 0 && this.#free === this.#cores
      return
    }
    // A size that was never measured on the usual threads tells nothing.
    if (base === undefined) return
    this.#served++
    this.#ratios = [...this.#ratios, ms / base].slice(-TRIAL_STEPS)
    if (this.#loses()) this.#drop(this.#served < SERVED_STEPS ? Math.min(REST_STEPS_MAX, 2 * this.#rest) : REST_STEPS)
  }

  get #usual(): number {
    return Math.max(1, Math.min(this.#cores - 1, this.#free))
  }

  #loses(): boolean {
    if ((this.#ratios.at(-1) ?? 0) > DISASTER) return true
    const recent = this.#ratios.slice(-WATCH_STEPS).sort((a, b) => a - b)
    if ((recent.at(-2) ?? 0) > ALARM) return true
    return this.#ratios.length >= TRIAL_STEPS && (recent[WATCH_STEPS >> 1] ?? 1) >= GAIN
  }

  /** Back to the usual threads for at least so many steps. */
  #drop(rest: number): void {
    this.#more = false
    this.#ratios = []
    this.#served = 0
    this.#rest = rest
    this.#left = rest
  }
}
