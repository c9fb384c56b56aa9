import type { Span, Work } from './forward.ts'
import { roundUp } from './kv-cache.ts'

/** What of the model the order of rows depends on. */
export type BatchShape = {
  /** Query heads that share one key head. */
  group: number
  adapters: boolean
  /** Products of fewer columns round differently on this processor: as many rows are computed at least. */
  columnsMin: number
  /** The token whose rows take the learnt vector; undefined where the model has none. */
  maskToken: number | undefined
  /** One op attends for all rows, by `places`; else each work attends by itself, by its mask. */
  fused: boolean
  /** First cell of a work's lease. */
  startOf: (work: Work) => number
}

/** The rows of one work, in work order. */
export type WorkPlan = {
  /** First row in work order, and how many. */
  row: number
  rows: number
  /** First cell of the lease, and how many cells the rows may see: a multiple of 32. */
  start: number
  cells: number
  /** 0 where seen, -Infinity elsewhere: `cells` numbers a row. All rows come again where they would be too few. */
  mask: Float32Array
  /** A multiple of `rows`. */
  maskRows: number
}

/**
 * One forward as plain data. In **batch order** all rows without adapters stand first, then those with: the products
 * run over it. In **work order** each work's rows stand together: attention runs over it.
 */
export type BatchPlan = {
  /** Rows that were asked for, and all rows: the last one is repeated where they would be too few. */
  rows: number
  rowsAll: number
  /** Rows from here on have adapters; `rowsAll` where none has. */
  adaptedFrom: number
  tokens: Int32Array
  positions: Int32Array
  /** Cell of each asked row, over the whole cache. */
  cells: Int32Array
  /** For each row the first cell of its lease, and what it sees of it: until, from, to. */
  places: Int32Array
  /** Batch rows that take the learnt mask vector. */
  maskedRows: Int32Array
  /** None where one op attends for all rows. */
  works: WorkPlan[]
  /** For each row in work order its batch row, and back for all rows; undefined where both orders are one. */
  toWork: Int32Array | undefined
  toBatch: Int32Array | undefined
  /** Batch rows whose prediction is wanted: works in order, spans in order. */
  wanted: number[]
  /** Of them, how many for each work. */
  wantedOf: number[]
}

type Row = {
  token: number
  position: number
  cell: number
  place: readonly [start: number, until: number, from: number, to: number]
  adapted: boolean
  workRow: number
  wish: number
}

/** Puts the rows of checked works in order. Pure. */
export function planBatch(works: readonly Work[], shape: BatchShape): BatchPlan {
  const { rows, plans, wishes } = listRows(works, shape)
  const ordered = [...rows.filter((row) => !row.adapted), ...rows.filter((row) => row.adapted)]
  const adaptedFrom = rows.filter((row) => !row.adapted).length
  const all = fillUp(ordered, shape.adapters ? rows.length - adaptedFrom : 0, shape.columnsMin)
  const toBatch = Int32Array.from(all, (row) => row.workRow)
  const sameOrder =
    shape.fused || (all.length === ordered.length && toBatch.every((workRow, batchRow) => workRow === batchRow))
  const toWork = new Int32Array(rows.length)
  const wanted = Array.from({ length: wishes }, () => 0)
  for (const [i, row] of ordered.entries()) {
    toWork[row.workRow] = i
    if (row.wish >= 0) wanted[row.wish] = i
  }
  return {
    rows: ordered.length,
    rowsAll: all.length,
    adaptedFrom: shape.adapters && adaptedFrom < rows.length ? adaptedFrom : all.length,
    tokens: Int32Array.from(all, (row) => row.token),
    positions: Int32Array.from(all, (row) => row.position),
    cells: Int32Array.from(ordered, (row) => row.cell),
    places: Int32Array.from(all.flatMap((row) => row.place)),
    maskedRows: Int32Array.from(all.keys().filter((i) => all[i]?.adapted && all[i].token === shape.maskToken)),
    works: plans,
    toWork: sameOrder ? undefined : toWork,
    toBatch: sameOrder ? undefined : toBatch,
    wanted,
    wantedOf: works.map((work) => work.spans.reduce((sum, span) => sum + span.wanted.filter(Boolean).length, 0)),
  }
}

/** The last row again and again, until all rows, and those with adapters if there are any, are enough. */
function fillUp(rows: Row[], adapted: number, columnsMin: number): Row[] {
  const last = rows.at(-1)
  const missing = Math.max(columnsMin - rows.length, adapted > 0 ? columnsMin - adapted : 0)
  return last === undefined || missing <= 0 ? rows : [...rows, ...Array<Row>(missing).fill(last)]
}

function listRows(works: readonly Work[], shape: BatchShape): { rows: Row[]; plans: WorkPlan[]; wishes: number } {
  const rows: Row[] = []
  const plans: WorkPlan[] = []
  let wishes = 0
  for (const work of works) {
    const start = shape.startOf(work)
    const firstWish = new Map<Span, number>()
    for (const span of work.spans) {
      firstWish.set(span, wishes)
      wishes += span.wanted.filter(Boolean).length
    }
    const spans = [...work.spans.filter((span) => !span.adapted), ...work.spans.filter((span) => span.adapted)]
    if (!shape.fused) plans.push(planWork(spans, { row: rows.length, start }, shape))
    for (const span of spans) {
      let wish = firstWish.get(span) ?? 0
      for (const [i, token] of span.tokens.entries()) {
        const cell = start + span.writeAt + i
        const isWanted = span.wanted[i] === true
        rows.push({
          token,
          position: span.position + i,
          cell,
          place: [start, ...seenBy(span, i)],
          adapted: span.adapted,
          workRow: rows.length,
          wish: isWanted ? wish++ : -1,
        })
      }
    }
  }
  return { rows, plans, wishes }
}

function planWork(spans: readonly Span[], place: { row: number; start: number }, shape: BatchShape): WorkPlan {
  const rows = spans.reduce((sum, span) => sum + span.tokens.length, 0)
  const cells = roundUp(Math.max(...spans.map(seenEnd)))
  const maskRows = rows * Math.ceil(shape.columnsMin / (rows * shape.group))
  const mask = new Float32Array(cells * maskRows).fill(-Infinity)
  let row = 0
  for (const span of spans) {
    for (let i = 0; i < span.tokens.length; i++) showCells(mask, row++ * cells, span, i)
  }
  for (let again = rows; again < maskRows; again += rows) mask.copyWithin(again * cells, 0, rows * cells)
  return { ...place, rows, cells, mask, maskRows }
}

function seenEnd({ sees, writeAt, tokens }: Span): number {
  return sees === 'causal' ? writeAt + tokens.length : Math.max(sees.until, sees.to > sees.from ? sees.to : 0)
}

function showCells(mask: Float32Array, at: number, span: Span, row: number): void {
  const [until, from, to] = seenBy(span, row)
  mask.fill(0, at, at + until)
  mask.fill(0, at + from, at + to)
}

/** A row of a span sees cells [0, until) and [from, to) of its lease. */
function seenBy({ sees, writeAt }: Span, row: number): [until: number, from: number, to: number] {
  return sees === 'causal' ? [writeAt + row + 1, 0, 0] : [sees.until, sees.from, Math.max(sees.from, sees.to)]
}
