import type { Log } from '../../lib/log.ts'

/** How many lines may wait while the disk refuses; beyond, the oldest are dropped and the log says how many. */
const WAITING_MAX = 10_000

/** Collects what may be written a moment later and writes it together: at `rowsMax` rows, or after `waitMs`. */
export class UsageWriter<Row> {
  readonly #write: (rows: readonly Row[], touched: ReadonlyMap<string, number>) => void
  readonly #rule: { waitMs: number; rowsMax: number }
  readonly #log: Log
  #rows: Row[] = []
  #touched = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(
    write: (rows: readonly Row[], touched: ReadonlyMap<string, number>) => void,
    rule: { waitMs: number; rowsMax: number },
    log: Log,
  ) {
    this.#write = write
    this.#rule = rule
    this.#log = log
  }

  add(row: Row): void {
    this.#rows.push(row)
    this.#wake()
  }

  /** The key was last used at `at` (epoch ms). */
  touch(keyId: string, at: number): void {
    this.#touched.set(keyId, at)
    this.#wake()
  }

  /** Writes what waits. What cannot be written waits for the next time; returns whether nothing waits any more. */
  flush(): boolean {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#rows.length === 0 && this.#touched.size === 0) return true
    try {
      this.#write(this.#rows, this.#touched)
      this.#rows = []
      this.#touched = new Map()
      return true
    } catch (error) {
      const dropped = Math.max(this.#rows.length - WAITING_MAX, 0)
      this.#rows.splice(0, dropped)
      this.#log.error('usage_not_written', { waiting: this.#rows.length, dropped, error: String(error) })
      this.#timer = setTimeout(() => this.flush(), Math.max(this.#rule.waitMs, 1_000)).unref()
      return false
    }
  }

  close(): void {
    this.flush()
    clearTimeout(this.#timer)
  }

  #wake(): void {
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.flush(), this.#rule.waitMs).unref()
    else if (this.#rows.length === this.#rule.rowsMax) this.flush()
  }
}
