import type { Graph } from '../ggml/graph.ts'
import type { Tensor } from '../ggml/handles.ts'
import { columnsFrom, multiplyPacked, quantise, type Packed, type Quantised } from '../ggml/packed-product.ts'
import { BLOCK, offsetsWidth } from './split-offsets.ts'

/** [from, to] for ggml's product; with `offsets` [offsetsWidth(from), to] each block's number times the block's sum of x is added. */
export type Plain = { weights: Tensor; offsets: Tensor | undefined; packed?: undefined }

export type Matrix = Plain | { packed: Packed }

/** Matrices of rows of `from` whose results stand one below the other; `to` counts them all. */
export type Linear = { parts: readonly Matrix[]; from: number; to: number }

/** Low-rank addition B·(A·x): a [from, rank], b [rank, to]. */
export type Adapter = { a: Linear; b: Linear }

/** Rows of x in batch order; those from `adaptedFrom` on have adapters. */
export type BatchRows = { rowsAll: number; adaptedFrom: number }

/** Columns [from, rows] as they are, and in 8 bits once a packed matrix wants them. */
type Columns = { x: Tensor; rows: number; quantised: Quantised | undefined }

/** W·x for all rows [from, rows] → [to, rows], and on adapted rows B·(A·x) added. */
export function applyLinear(
  graph: Graph,
  { linear, adapter, rows }: { linear: Linear; adapter: Adapter | undefined; rows: BatchRows },
  x: Tensor,
): Tensor {
  const columns: Columns = { x, rows: rows.rowsAll, quantised: undefined }
  const y = multiply(graph, linear, columns)
  if (adapter === undefined || rows.rowsAll === rows.adaptedFrom) return y
  const inner = multiply(graph, adapter.a, lastColumns(graph, columns, linear.from, rows.adaptedFrom))
  const addition = multiplyLinear(graph, adapter.b, inner, rows.rowsAll - rows.adaptedFrom)
  return graph.addToRows(y, addition, { width: linear.to, row: rows.adaptedFrom })
}

/** W·x for `rows` columns of x [from, rows] → [to, rows]. */
export function multiplyLinear(graph: Graph, linear: Linear, x: Tensor, rows: number): Tensor {
  return multiply(graph, linear, { x, rows, quantised: undefined })
}

function lastColumns(graph: Graph, { x, rows, quantised }: Columns, from: number, first: number): Columns {
  const [left, stride] = [rows - first, from * 4]
  const view = graph.view(x, { shape: [from, left, 1], strides: [stride, stride * left], offset: stride * first })
  return { x: view, rows: left, quantised: quantised === undefined ? undefined : columnsFrom(graph, quantised, first) }
}

function multiply(graph: Graph, { parts, from }: Linear, columns: Columns): Tensor {
  const { x, rows } = columns
  const sums = parts.some((part) => part.packed === undefined && part.offsets !== undefined)
    ? blockSums(graph, from, rows, x)
    : undefined
  return parts
    .map((part) => {
      if (part.packed !== undefined) {
        columns.quantised ??= quantise(graph, part.packed.kernel, x, { from, columns: rows })
        return multiplyPacked(graph, part.packed, columns.quantised)
      }
      const y = graph.product(part.weights, x)
      return part.offsets === undefined || sums === undefined ? y : graph.addInto(y, graph.product(part.offsets, sums))
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
