/** A step that also reads prompts should take at most so many times as long as one that reads none. */
const STRETCH = 4
/** A row that looks back at so many cells costs twice what one costs that has none behind it (measured at 1,024: 3.2 times). */
const CELLS_OF_A_ROW = 450
/** Fewer rows hardly make a step shorter: reading the weights is most of it. */
const ROWS_MIN = 16
/** Of what was known before, when a step is added to an average. */
const KEPT = 0.8

/** Rows of one step for one prompt, with those of the reply's first window or block; `at`: tokens that stood before the first of them. */
export type PromptPart = { at: number; rows: number }

/**
 * How many prompt rows a step may have while replies stream beside: as many as keep these flowing, by what steps have taken. It changes when
 * a prompt is read, never what is said: a row's bits do not depend on how its prompt was cut.
 */
export class PrefillPace {
  /** Of a step without prompt rows, ms. */
  #stepMs: number | undefined
  /** Of a prompt row with nothing behind it, ms. */
  #rowMs: number | undefined

  /** After each step: all prompt rows that were in it, and whether replies were too. */
  record(parts: readonly PromptPart[], streams: boolean, ms: number): void {
    if (parts.length === 0) {
      this.#stepMs = average(this.#stepMs, ms)
      return
    }
    const others = streams ? (this.#stepMs ?? 0) : 0
    const work = parts.reduce((sum, { at, rows }) => sum + rows * weightAt(at + rows / 2), 0)
    this.#rowMs = average(this.#rowMs, Math.max(ms - others, ms / 4) / work)
  }

  /** Rows of the next step for prompts of which so many tokens have been read; `most` where nobody streams or nothing is known yet. */
  rowsMax(read: readonly number[], streams: boolean, most: number): number {
    if (!streams || read.length === 0 || !this.#stepMs || !this.#rowMs) return most
    const weight = read.reduce((sum, at) => sum + weightAt(at), 0) / read.length
    const rows = Math.floor(((STRETCH - 1) * this.#stepMs) / (this.#rowMs * weight))
    return Math.min(most, Math.max(ROWS_MIN, rows))
  }
}

function weightAt(cells: number): number {
  return 1 + cells / CELLS_OF_A_ROW
}

function average(before: number | undefined, now: number): number {
  return before === undefined ? now : KEPT * before + (1 - KEPT) * now
}
