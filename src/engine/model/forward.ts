/**
 * The seam between decoding and arithmetic: one call computes the rows of all running requests together.
 * A row is one token at one position. Its bits never depend on what else stands in the call, on how a prompt was cut,
 * nor on the number of threads: replies stay equal alone and in a batch.
 */

/** Rows of one sequence that follow one another in position and in the cache. */
export type Span = {
  /** Ids, each inside the vocabulary; the mask token stands for an unknown one. At least 1. */
  tokens: number[]
  /** Rotary position of the first row; the others follow. */
  position: number
  /** Cache cell, relative to the lease, that takes the first row's key and value; the others follow. */
  writeAt: number
  /**
   * Which cells of the lease each row sees. `causal`: cells 0 to its own (needs writeAt = position).
   * Otherwise cells [0, until) and [from, to), both ends of them written before or in this very call.
   */
  sees: 'causal' | { until: number; from: number; to: number }
  /** Window adapters (and the learnt mask vector) act on these rows. */
  adapted: boolean
  /** For each row: is its prediction wanted? */
  wanted: boolean[]
}

/** Room for one sequence's keys and values: a run of cells nobody else writes. */
export type Lease = { readonly id: number; readonly cells: number }

export type Work = { lease: Lease; spans: Span[] }

/** The likeliest tokens of one wanted row: at most 64, by falling probability, ties by rising id. */
export type Candidates = {
  ids: Int32Array
  /** Untempered softmax over all allowed tokens (banned ones have none). */
  probabilities: Float32Array
  /** All logits, only when the forward was opened with `keepLogits`; banned ones are -Infinity. */
  logits?: Float32Array
}

export interface Forward {
  /** Cells that are neither leased nor kept. */
  readonly cellsFree: number
  readonly cellsTotal: number
  /** Takes a run of cells, or undefined when none is long enough. */
  lease(cells: number): Lease | undefined
  /** Whether `lease` would find a run, were these given back. */
  fits(cells: number, without: readonly Lease[]): boolean
  release(lease: Lease): void
  /** Copies the first `count` cells of one lease to the same places of another. */
  copy(from: Lease, to: Lease, count: number): void
  /**
   * One forward. The result has one list per work, in order; in it one entry per wanted row, spans in order.
   * Within one work, keys and values of all spans are written before any row looks.
   */
  compute(works: readonly Work[]): Promise<Candidates[][]>
  close(): void
}
