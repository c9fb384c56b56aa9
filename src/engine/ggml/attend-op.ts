import type { Graph } from './graph.ts'
import type { Tensor } from './handles.ts'
import type { Kernel } from './kernel.ts'
import { floatBits, quantisedWidth, type Quantised } from './packed-product.ts'

/** Cells of a block of keys. */
export const KEY_BLOCK = 32

type Stored = {
  /** BF16 or F32, as many as values: blocks of `KEY_BLOCK` cells, in each one feature after the other. */
  keys: Tensor
  /** BF16 or F32 [key heads · headWidth, cells]. */
  values: Tensor
}

export type Attention = Stored & {
  /** F32 [headWidth, heads, rows], without gaps. */
  queries: Tensor
  /**
   * I32 [4, rows]: first cell of the row's sequence (where a block begins), then `until`, `from`, `to`: the row sees cells [0, until) and
   * [from, to) of it. At least one cell; all of them written.
   */
  places: Tensor
}

type Size = { width: number; rows: number }

/** soft_max(q·K / √headWidth)·V: F32 [heads · headWidth, rows]. A row's bits depend on nothing beside it. */
export function attendByKernel(graph: Graph, kernel: Kernel, attention: Attention, { width, rows }: Size): Tensor {
  return attend(graph, kernel, attention, { type: 'F32', shape: [width, rows, 1] })
}

/** The same in 8 bits. Heads are a multiple of `QUANTISED_BLOCK` wide. */
export function attendQuantised(graph: Graph, kernel: Kernel, attention: Attention, { width, rows }: Size): Quantised {
  const tensor = attend(graph, kernel, attention, { type: 'I8', shape: [quantisedWidth(width), rows, 1] })
  return { tensor, from: width, columns: rows }
}

function attend(
  graph: Graph,
  kernel: Kernel,
  { queries, keys, values, places }: Attention,
  result: { type: 'F32' | 'I8'; shape: readonly [number, number, number] },
): Tensor {
  return graph.custom({ call: kernel.ops.attend, number: 0, sources: [queries, keys, values, places], ...result })
}

export type NewRows = Stored & {
  /** F32: queries, keys and values of all heads for each row. */
  qkv: Tensor
  /** F32 [dimensions, rows]: cosines, then sines. */
  angles: Tensor
  /** I32: cells of the first rows; rows behind them have none. */
  cells: Tensor
  /** F32 [headWidth] each, where heads are normed. */
  norms: { query: Tensor; key: Tensor; epsilon: number } | undefined
}

/** Norms and rotates queries and keys, writes keys and values into the cache; F32 [headWidth, heads, rows]: the queries. */
export function rememberByKernel(
  graph: Graph,
  kernel: Kernel,
  { qkv, angles, cells, keys, values, norms }: NewRows,
  size: { headWidth: number; heads: number; rows: number; dimensions: number; halves: boolean },
): Tensor {
  const { headWidth, heads, rows, dimensions, halves } = size
  const sources = [qkv, angles, cells, keys, values]
  if (norms !== undefined) sources.push(norms.query, norms.key)
  const number = headWidth + 2 ** 10 * dimensions + 2 ** 20 * Number(halves) + 2 ** 21 * floatBits(norms?.epsilon ?? 0)
  const shape = [headWidth * heads, rows, 1] as const
  const queries = graph.custom({ call: kernel.ops.remember, number, sources, type: 'F32', shape })
  return graph.reshape(queries, [headWidth, heads, rows])
}
