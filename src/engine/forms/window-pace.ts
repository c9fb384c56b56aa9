/** Forwards of one trial. */
const TRIAL = 4
/**
 * Tokens that a forward must bring for its window to pay. A forward of one causal row and a window of four takes about 1.7 times as long as
 * one without (`bench forward`): until many rows are computed together, reading the weights is most of the work.
 */
const PAYS = 1.7
/** Tokens until the next trial; doubled after each one that did not pay. */
const REST = 48
const REST_MAX = 192

/**
 * Under `verified` the window changes how fast a reply comes, never what it says. Text that surprises the adapters comes faster without:
 * the window rests while its drafts were seldom confirmed, and is tried again now and then. Knows only this reply, so
 * that load changes nothing.
 */
export class WindowPace {
  #forwards = 0
  #tokens = 0
  #left = 0
  #rest = REST

  get rests(): boolean {
    return this.#left > 0
  }

  /** After each denoising forward: tokens that became final by it. */
  record(tokens: number): void {
    if (this.#left > 0) {
      this.#left = Math.max(0, this.#left - tokens)
      return
    }
    this.#forwards++
    this.#tokens += tokens
    if (this.#forwards < TRIAL) return
    const pays = this.#tokens >= PAYS * this.#forwards
    this.#left = pays ? 0 : this.#rest
    this.#rest = pays ? REST : Math.min(REST_MAX, 2 * this.#rest)
    this.#forwards = 0
    this.#tokens = 0
  }
}
