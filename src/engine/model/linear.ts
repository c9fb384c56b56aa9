import type { Graph } from '../ggml/graph.ts'
import type { Tensor } from '../ggml/handles.ts'
import { BLOCK, offsetsWidth } from './split-offsets.ts'

/** [from, to]; with `offsets` [offsetsWidth(from), to] each block's number times the block's sum of x is added. */
export type Matrix = { weights: Tensor; offsets: Tensor | undefined }

/** Matrices of rows of `from` whose results stand one below the other; `to` counts them all. */
export type Linear = { parts: readonly Matrix[]; from: number; to: number }

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
  const y = multiply(graph, linear, rows.rowsAll, x)
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

function multiply(graph: Graph, { parts, from }: Linear, rows: number, x: Tensor): Tensor {
  const sums = parts.some((part) => part.offsets !== undefined) ? blockSums(graph, from, rows, x) : undefined
  return parts
    .map(({ weights, offsets }) => {
      const y = graph.product(weights, x)
      return offsets === undefined || sums === undefined ? y : graph.addInto(y, graph.product(offsets, sums))
    })
    .reduce((joined, part) => graph.join(joined, part, 0))
}

/** The sum of each block of 32 numbers of x [from, rows]: [offsetsWidth(from), rows], zeros behind the last block. */
function blockSums(graph: Graph, from: number, rows: number, x: Tensor): Tensor {
  const blocks = from / BLOCK
  const sums = graph.reshape(graph.sumRows(graph.reshape(x, [BLOCK, blocks, rows])), [blocks, rows, 1])
  const missing = offsetsWidth(from) - blocks
  return missing === 0 ? sums : graph.fillRows(sums, missing)
}
