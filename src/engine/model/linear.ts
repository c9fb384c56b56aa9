import type { Graph } from '../ggml/graph.ts'
import type { Tensor } from '../ggml/handles.ts'

/** Matrices [from, to] whose results stand one below the other; `to` counts them all. */
export type Linear = { parts: readonly Tensor[]; from: number; to: number }

/** Low-rank addition B·(A·x): a [from, rank], b [rank, to]. */
export type Adapter = { a: Tensor; b: Tensor }

/** Rows of x in batch order; those from `adaptedFrom` on have adapters. */
export type BatchRows = { rowsAll: number; adaptedFrom: number }

/** W·x for all rows [from, rows] → [to, rows], and on adapted rows B·(A·x) added. */
export function applyLinear(
  graph: Graph,
  { linear, adapter, rows }: { linear: Linear; adapter: Adapter | undefined; rows: BatchRows },
  x: Tensor,
): Tensor {
  const y = linear.parts.map((part) => graph.product(part, x)).reduce((joined, part) => graph.join(joined, part, 0))
  const adapted = rows.rowsAll - rows.adaptedFrom
  if (adapter === undefined || adapted === 0) return y
  const stride = linear.from * 4
  const view = graph.view(x, {
    shape: [linear.from, adapted, 1],
    strides: [stride, stride * adapted],
    offset: stride * rows.adaptedFrom,
  })
  const addition = graph.product(adapter.b, graph.product(adapter.a, view))
  return graph.addToRows(y, addition, { width: linear.to, row: rows.adaptedFrom })
}
