import type { Graph } from './graph.ts'
import type { Tensor } from './handles.ts'
import type { Kernel } from './kernel.ts'

/** Cells of a block of keys. */
export const KEY_BLOCK = 32

export type Attention = {
  /** F32 [headWidth, heads, rows], without gaps. */
  queries: Tensor
  /** BF16 or F32, as many as values: blocks of `KEY_BLOCK` cells, in each one feature after the other. */
  keys: Tensor
  /** BF16 or F32 [key heads · headWidth, cells]. */
  values: Tensor
  /**
   * I32 [4, rows]: first cell of the row's sequence (where a block begins), then `until`, `from`, `to`: the row sees cells [0, until) and
   * [from, to) of it. At least one cell; all of them written.
   */
  places: Tensor
}

/** soft_max(q·K / √headWidth)·V: F32 [heads · headWidth, rows]. A row's bits depend on nothing beside it. */
export function attendByKernel(
  graph: Graph,
  kernel: Kernel,
  { queries, keys, values, places }: Attention,
  size: { width: number; rows: number },
): Tensor {
  return graph.custom({
    call: kernel.ops.attend,
    number: 0,
    sources: [queries, keys, values, places],
    type: 'F32',
    shape: [size.width, size.rows, 1],
  })
}
