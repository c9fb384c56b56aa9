import { halfAt } from '../weights/half.ts'

/** Numbers of a block of Q4_0 and of Q4_1. */
export const BLOCK = 32
/** A row of offsets is filled up to a multiple of this: ggml's fast F32 product wants whole vectors. */
const STEP = 16
const Q41_BYTES = 20
const Q40_BYTES = 18

/** Length of a row of offsets for weight rows of `from` numbers. */
export function offsetsWidth(from: number): number {
  return Math.ceil(from / BLOCK / STEP) * STEP
}

/** Bytes as Q4_0 of weights that take `bytes` as Q4_1. */
export function splitBytes(bytes: number): number {
  return (bytes / Q41_BYTES) * Q40_BYTES
}

/**
 * The same weights in two parts: d·q + m = d·(q − 8) + (m + 8d). The first is Q4_0, byte for byte, for which ggml has a
 * product twice as fast as for Q4_1 (92 against 44 GFLOP/s at 64 columns); the second is one number a block of 32, and
 * meets the block's sum of x. `weights` and `offsets` are filled; offsets rows have `offsetsWidth(from)` numbers.
 */
export function splitOffsets(source: Uint8Array, from: number, target: { weights: Uint8Array; offsets: Float32Array }) {
  const perRow = from / BLOCK
  const stride = offsetsWidth(from)
  const blocks = source.length / Q41_BYTES
  const words = new Uint16Array(source.buffer, source.byteOffset, source.length / 2)
  const out = new Uint16Array(target.weights.buffer, target.weights.byteOffset, target.weights.length / 2)
  for (let block = 0; block < blocks; block++) {
    const [at, to] = [block * (Q41_BYTES / 2), block * (Q40_BYTES / 2)]
    out[to] = words[at] ?? 0
    for (let i = 1; i <= 8; i++) out[to + i] = words[at + 1 + i] ?? 0
    const row = Math.floor(block / perRow)
    const byte = block * Q41_BYTES
    target.offsets[row * stride + (block - row * perRow)] = halfAt(source, byte + 2) + 8 * halfAt(source, byte)
  }
}
