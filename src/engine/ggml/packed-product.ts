import { ELEMENT_TYPES } from './element-types.ts'
import type { Graph } from './graph.ts'
import type { Tensor } from './handles.ts'
import type { Kernel, PackedType } from './kernel.ts'

/** Weights in the kernel's own order: `matrices` of `to` rows of `from` numbers, one after the other. */
export type Packed = {
  kernel: Kernel
  /** I8, as long as its bytes. */
  bytes: Tensor
  type: PackedType
  from: number
  to: number
  matrices: number
}

/** Columns in 8 bits, with a scale for each block of 32 numbers. Any product of weights of rows of `from` numbers may take them. */
export type Quantised = { tensor: Tensor; from: number; columns: number }

/** x [from, columns] in F32, without gaps. */
export function quantise(graph: Graph, kernel: Kernel, x: Tensor, size: { from: number; columns: number }): Quantised {
  const { from, columns } = size
  const shape = [quantisedWidth(from), columns, 1] as const
  const tensor = graph.custom({ call: kernel.ops.quantise, number: 0, sources: [x], type: 'I8', shape })
  return { tensor, from, columns }
}

/** The columns from `first` on. */
export function columnsFrom(graph: Graph, x: Quantised, first: number): Quantised {
  const stride = quantisedWidth(x.from)
  const columns = x.columns - first
  const tensor = graph.view(x.tensor, {
    shape: [stride, columns, 1],
    strides: [stride, stride * columns],
    offset: stride * first,
  })
  return { tensor, from: x.from, columns }
}

/** [to, columns] = W·x in F32. A column's bits depend on nothing beside it. */
export function multiplyPacked(graph: Graph, { kernel, bytes, type, to }: Packed, x: Quantised): Tensor {
  return graph.custom({
    call: kernel.ops.product,
    number: ELEMENT_TYPES[type],
    sources: [bytes, x.tensor],
    type: 'F32',
    shape: [to, x.columns, 1],
  })
}

/**
 * [to, used, rows]: each row of x by the `used` matrices that ids [used, rows] name; x has a column for each row, or one for each
 * pair of row and matrix.
 */
export function multiplyChosen(
  graph: Graph,
  { kernel, bytes, type, to, matrices }: Packed,
  x: Quantised,
  chosen: { ids: Tensor; used: number; rows: number },
): Tensor {
  return graph.custom({
    call: kernel.ops.chosenProduct,
    number: ELEMENT_TYPES[type] + 16 * matrices,
    sources: [bytes, x.tensor, chosen.ids],
    type: 'F32',
    shape: [to, chosen.used, chosen.rows],
  })
}

/** `Block` of native/packed.h: for 32 numbers a byte each, their scale and four sums. */
function quantisedWidth(from: number): number {
  return (from / 32) * 56
}
