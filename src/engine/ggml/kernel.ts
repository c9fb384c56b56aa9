import type { Address } from './handles.ts'

export const PACKED_TYPES = ['Q4_0', 'Q4_1', 'Q8_0', 'Q4_K', 'Q6_K'] as const
export type PackedType = (typeof PACKED_TYPES)[number]

/** Op → the function of native/*.c. */
export const KERNEL_OPS = {
  quantise: 'unmask_quantise',
  normQuantise: 'unmask_norm_quantise',
  swigluQuantise: 'unmask_swiglu_quantise',
  product: 'unmask_product',
  chosenProduct: 'unmask_chosen_product',
  remember: 'unmask_remember',
  attend: 'unmask_attend',
  candidates: 'unmask_candidates',
} as const
type KernelOp = keyof typeof KERNEL_OPS

/** What native/*.c computes: products of packed 4- to 8-bit weights, several times as fast as ggml's, and attention. */
export type Kernel = {
  /** What it was compiled for, such as `avx512-vnni`. */
  isa: string
  /** Bytes of a packed matrix of `to` rows of `from` numbers; 0 where it cannot be packed. */
  packedBytes(type: PackedType, from: number, to: number): number
  /** Packs a file's rows; both have exactly their bytes. Where the memory begins must not change afterwards. */
  pack(type: PackedType, shape: readonly [from: number, to: number], file: Uint8Array, packed: Uint8Array): void
  /** Multiply-adds that `rounds` of its instructions on registers alone have done: what no product can exceed. */
  peak(rounds: number): number
  /** Reads all bytes, a multiple of 256: what memory gives, no product can exceed. */
  read(bytes: Uint8Array): void
  /** Whether it can attend with heads of so many numbers. */
  attends(headWidth: number): boolean
  /** Ops for a graph, used by `packed-product.ts`, `attend-op.ts` and `candidates-op.ts` alone. */
  ops: Readonly<Record<KernelOp, Address>>
}
