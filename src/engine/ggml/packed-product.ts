import { ELEMENT_TYPES } from './element-types.ts'
import type { Graph } from './graph.ts'
import type { Address, Tensor } from './handles.ts'
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

/** Numbers of a block in 8 bits. */
export const QUANTISED_BLOCK = 32

/** Columns in 8 bits, with a scale for each block of numbers. Any product of weights of rows of `from` numbers may take them. */
export type Quantised = { tensor: Tensor; from: number; columns: number }

type Size = { from: number; columns: number }

/** x [from, columns] in F32. */
export function quantise(graph: Graph, kernel: Kernel, x: Tensor, size: Size): Quantised {
  return round(graph, kernel.ops.quantise, [x], size)
}

/** x / √(mean(x²) + ε) · weights for each column: x [from, columns], weights [from]. */
export function normQuantise(
  graph: Graph,
  kernel: Kernel,
  { x, weights, epsilon }: { x: Tensor; weights: Tensor; epsilon: number },
  size: Size,
): Quantised {
  return round(graph, kernel.ops.normQuantise, [x, weights], size, floatBits(epsilon))
}

/** silu(first half of each column) · second half: gateUp [2 · from, columns]. */
export function swigluQuantise(graph: Graph, kernel: Kernel, gateUp: Tensor, size: Size): Quantised {
  return round(graph, kernel.ops.swigluQuantise, [gateUp], size)
}

function round(
  graph: Graph,
  call: Address,
  sources: readonly Tensor[],
  { from, columns }: Size,
  number = 0,
): Quantised {
  const tensor = graph.custom({ call, number, sources, type: 'I8', shape: [quantisedWidth(from), columns, 1] })
  return { tensor, from, columns }
}

/** For numbers that reach an op as an integer. */
export function floatBits(value: number): number {
  return new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0
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

/** What is added to a product: `start` [to, columns]; on the last columns another product. */
type Added = { start?: Tensor | undefined; adapter?: { packed: Packed; x: Quantised } | undefined }

/** [to, columns] = W·x in F32. A column's bits depend on nothing beside it. */
export function multiplyPacked(
  graph: Graph,
  { kernel, bytes, type, to }: Packed,
  x: Quantised,
  { start, adapter }: Added = {},
): Tensor {
  const sources = [bytes, x.tensor]
  if (start !== undefined) sources.push(start)
  if (adapter !== undefined) sources.push(adapter.packed.bytes, adapter.x.tensor)
  const other = adapter === undefined ? 0 : ELEMENT_TYPES[adapter.packed.type]
  return graph.custom({
    call: kernel.ops.product,
    number: ELEMENT_TYPES[type] + 2 ** 8 * other + (start === undefined ? 0 : 2 ** 16),
    sources,
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

/** `Block` of native/packed.h: for 32 numbers a byte each, their scale and five sums. */
export function quantisedWidth(from: number): number {
  return (from / QUANTISED_BLOCK) * 56
}
