import type { Graph } from '../ggml/graph.ts'
import type { Tensor } from '../ggml/handles.ts'
import type { Kernel } from '../ggml/kernel.ts'
import {
  columnsFrom,
  multiplyPacked,
  normQuantise,
  quantise,
  type Packed,
  type Quantised,
} from '../ggml/packed-product.ts'
import { BLOCK, offsetsWidth } from './split-offsets.ts'

/** [from, to] for ggml's product; with `offsets` [offsetsWidth(from), to] each block's number times the block's sum of x is added. */
export type Plain = { weights: Tensor; offsets: Tensor | undefined; packed?: undefined }

export type Matrix = Plain | { packed: Packed }

/** Matrices of rows of `from` whose results stand one below the other; `to` counts them all. */
export type Linear = { parts: readonly Matrix[]; from: number; to: number }

/** Low-rank addition B·(A·x): a [from, rank], b [rank, to]. */
export type Adapter = { a: Linear; b: Linear }

/** Rows of x in batch order; those from `adaptedFrom` on have adapters. */
type BatchRows = { rowsAll: number; adaptedFrom: number }

/** Columns [from, rows], as numbers or in 8 bits, whichever a matrix wants; made when they are first wanted. */
export class Columns {
  readonly from: number
  readonly rows: number
  private readonly graph: Graph
  private readonly make: { plain: () => Tensor; rounded?: (kernel: Kernel) => Quantised }
  private numbers: Tensor | undefined
  private bytes: Quantised | undefined

  constructor(graph: Graph, size: { from: number; rows: number }, make: Columns['make']) {
    this.graph = graph
    this.from = size.from
    this.rows = size.rows
    this.make = make
  }

  plain(): Tensor {
    return (this.numbers ??= this.make.plain())
  }

  rounded(kernel: Kernel): Quantised {
    const { graph, from, rows } = this
    // One op makes both steps, unless somebody wanted the numbers themselves.
    const make = this.numbers === undefined ? this.make.rounded : undefined
    return (this.bytes ??= make?.(kernel) ?? quantise(graph, kernel, this.plain(), { from, columns: rows }))
  }
}

/** x / √(mean(x²) + ε) · weights for each column of x [from, rows]. */
export function normColumns(
  graph: Graph,
  x: Tensor,
  weights: Tensor,
  { from, rows, epsilon }: { from: number; rows: number; epsilon: number },
): Columns {
  const plain = () => graph.multiply(graph.rmsNorm(x, epsilon), weights)
  const rounded = (kernel: Kernel) => normQuantise(graph, kernel, { x, weights, epsilon }, { from, columns: rows })
  return new Columns(graph, { from, rows }, { plain, rounded })
}

type Applied = {
  linear: Linear
  adapter: Adapter | undefined
  rows: BatchRows
  /** [to, rows], to which the product is added. */
  start?: Tensor | undefined
}

/** W·x for all rows [from, rows] → [to, rows], on adapted rows B·(A·x) added, and `start` where there is one. */
export function applyLinear(graph: Graph, { linear, adapter, rows, start }: Applied, x: Columns): Tensor {
  const acting = rows.rowsAll === rows.adaptedFrom ? undefined : adapter
  const packed = onlyPacked(linear)
  const [a, b] = adapter === undefined ? [] : [onlyPacked(adapter.a), onlyPacked(adapter.b)]
  // Not by whether it acts: rows without adapters are added up in the same order beside others as alone.
  if (packed !== undefined && (adapter === undefined || (a !== undefined && b !== undefined))) {
    const rounded = x.rounded(packed.kernel)
    if (acting === undefined || a === undefined || b === undefined)
      return multiplyPacked(graph, packed, rounded, { start })
    const inner = multiplyPacked(graph, a, columnsFrom(graph, rounded, rows.adaptedFrom))
    const size = { from: a.to, columns: rows.rowsAll - rows.adaptedFrom }
    const adapted = { packed: b, x: quantise(graph, packed.kernel, inner, size) }
    return multiplyPacked(graph, packed, rounded, { start, adapter: adapted })
  }
  const y = multiplyLinear(graph, linear, x)
  const whole = acting === undefined ? y : addAdapter(graph, acting, { y, x, to: linear.to, first: rows.adaptedFrom })
  return start === undefined ? whole : graph.add(start, whole)
}

function onlyPacked({ parts }: Linear): Packed | undefined {
  return parts.length === 1 ? parts[0]?.packed : undefined
}

function addAdapter(
  graph: Graph,
  { a, b }: Adapter,
  { y, x, to, first }: { y: Tensor; x: Columns; to: number; first: number },
): Tensor {
  const rows = x.rows - first
  const inner = multiplyLinear(graph, a, lastColumns(graph, x, first))
  const addition = multiplyLinear(graph, b, new Columns(graph, { from: b.from, rows }, { plain: () => inner }))
  return graph.addToRows(y, addition, { width: to, row: first })
}

function lastColumns(graph: Graph, x: Columns, first: number): Columns {
  const { from } = x
  const [rows, stride] = [x.rows - first, from * 4]
  const plain = () =>
    graph.view(x.plain(), { shape: [from, rows, 1], strides: [stride, stride * rows], offset: stride * first })
  return new Columns(
    graph,
    { from, rows },
    { plain, rounded: (kernel) => columnsFrom(graph, x.rounded(kernel), first) },
  )
}

/** W·x for columns x [from, rows] → [to, rows]. */
export function multiplyLinear(graph: Graph, { parts, from }: Linear, x: Columns): Tensor {
  const sums = parts.some((part) => part.packed === undefined && part.offsets !== undefined)
    ? blockSums(graph, from, x.rows, x.plain())
    : undefined
  return parts
    .map((part) => {
      if (part.packed !== undefined) return multiplyPacked(graph, part.packed, x.rounded(part.packed.kernel))
      const y = graph.product(part.weights, x.plain())
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
