/** Forwards of one trial. */
const TRIAL = 4
/** Tokens until the next trial; doubled after each one that did not pay. */
const REST = 48
const REST_MAX = 192
/** What reading all weights once costs, in rows: a forward of n rows takes about as long as n + 8 (`bench forward`; 6 to 8 by machine). */
const READING_ROWS = 8
/** Rows of a reply in a forward with its window of four: the tokens that became known, and the window. Without: one. */
const WINDOW_ROWS = 6
/** More tokens than a window of four brings in a forward, even where nearly all of its drafts stand. */
const OUT_OF_REACH = 3

/**
 * Tokens that a forward must bring for its window to pay, among `others` that are computed in the same forward. Alone it is 1.6, for
 * most of the work is reading the weights; among many every row costs its time, and one token each is the fastest.
 */
export function tokensToPay(others: number): number {
  const replies = 1 + others
  return (READING_ROWS + WINDOW_ROWS * replies) / (READING_ROWS + replies)
}

/**
 * Under `verified` the window changes how fast a reply comes, never what it says. Text that surprises the adapters comes faster without:
 * the window rests while its drafts were seldom confirmed, and is tried again now and then. Beside many other replies
 * it rests all the time.
 */
export class WindowPace {
  /** Replies that are computed in the same forward. */
  others = 0
  #forwards = 0
  #tokens = 0
  #left = 0
  #rest = REST

  get rests(): boolean {
    return this.#left > 0 || tokensToPay(this.others) > OUT_OF_REACH
  }

  /** After each denoising forward: tokens that became final by it. */
  record(tokens: number): void {
    if (this.#left > 0) {
      this.#left = Math.max(0, this.#left - tokens)
      return
    }
    if (this.rests) return
    this.#forwards++
    this.#tokens += tokens
    if (this.#forwards < TRIAL) return
    const pays = this.#tokens >= tokensToPay(this.others) * this.#forwards
    this.#left = pays ? 0 : this.#rest
    this.#rest = pays ? REST : Math.min(REST_MAX, 2 * this.#rest)
    this.#forwards = 0
    this.#tokens = 0
  }
}
