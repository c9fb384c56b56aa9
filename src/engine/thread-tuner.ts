/** Samples of one trial, and of the watch over what it brought. */
const TRIAL_STEPS = 16
const WATCH_STEPS = 10
/** One more thread must make steps this much faster to be worth a core. */
const GAIN = 0.85
/** Above it the 90th percentile has about doubled against what one thread more gave. */
const ALARM = 1.25
/** A single step this much slower says that the cores are taken: the threads spin for one another. */
const DISASTER = 2
/** Steps on the usual threads before the next trial; doubled after each one that failed. */
const REST_STEPS = 64
const REST_STEPS_MAX = 8192

/**
 * How many threads compute. ggml's threads spin while they wait for one another, so a busy core makes every step slow: all cores
 * but one are usual, one more is tried now and then, kept only while steps gain from it and dropped at once when they lose.
 */
export class ThreadTuner {
  readonly #usual: number
  readonly #most: number
  /** Milliseconds on the usual threads, averaged, by size of the step. */
  readonly #base = new Map<number, number>()
  #ratios: number[] = []
  #mode: 'usual' | 'trial' | 'more' = 'usual'
  #rest = REST_STEPS
  #left = REST_STEPS
  /** Steps since one thread more has been kept. */
  #kept = 0

  /** A fixed number never changes, and neither does the only core. */
  constructor(cores: number, wish: number | 'auto') {
    this.#usual = wish === 'auto' ? Math.max(1, cores - 1) : Math.min(wish, cores)
    this.#most = wish === 'auto' ? cores : this.#usual
  }

  get threads(): number {
    return this.#mode === 'usual' ? this.#usual : this.#most
  }

  /** After each forward. */
  record(rows: number, ms: number): void {
    if (this.#most === this.#usual) return
    const size = Math.round(2 * Math.log2(rows + 1))
    const base = this.#base.get(size)
    if (this.#mode === 'usual') {
      this.#base.set(size, base === undefined ? ms : 0.8 * base + 0.2 * ms)
      if (--this.#left <= 0) this.#enter('trial')
      return
    }
    // A size that was never measured on the usual threads tells nothing.
    if (base === undefined) return
    this.#ratios = [...this.#ratios, ms / base].slice(-TRIAL_STEPS)
    this.#judge()
  }

  #judge(): void {
    if ((this.#ratios.at(-1) ?? 0) > DISASTER) return this.#enter('usual')
    const recent = this.#ratios.slice(-WATCH_STEPS).sort((a, b) => a - b)
    if (recent.length < WATCH_STEPS) return
    const alarm = (recent[Math.floor(0.9 * (recent.length - 1))] ?? 0) > ALARM
    const gains = (recent[Math.floor(recent.length / 2)] ?? 1) < GAIN
    if (alarm || (!gains && this.#ratios.length >= TRIAL_STEPS)) return this.#enter('usual')
    // A longer rest after each trial that failed; one that lasted makes the next loss a first one again.
    if (this.#ratios.length >= TRIAL_STEPS) this.#mode = 'more'
    if (this.#mode === 'more' && ++this.#kept >= REST_STEPS_MAX) this.#rest = REST_STEPS
  }

  #enter(mode: 'usual' | 'trial'): void {
    if (mode === 'usual') this.#rest = Math.min(REST_STEPS_MAX, this.#rest * 2)
    this.#mode = mode
    this.#ratios = []
    this.#kept = 0
    this.#left = this.#rest
  }
}
