/**
 * Tensor bytes to F32. Every product here is exact in float64 and is rounded once, which is what ggml's own F32
 * arithmetic gives too (ggml-quants.c, `dequantize_row_*`).
 */
import { decodeQ4K, decodeQ5K, decodeQ6K } from './decode-k.ts'
import { halfAt } from './half.ts'
import { GGML_TYPES } from './types.ts'
import type { GgmlTypeName } from './types.ts'

/** Decodes the block at byte `at` of `from` to element `to` of `out`. */
type BlockDecoder = (from: Uint8Array, at: number, out: Float32Array, to: number) => void

const BLOCKS: Readonly<Record<Exclude<GgmlTypeName, 'F32' | 'F16' | 'BF16'>, BlockDecoder>> = {
  Q8_0: decodeQ80,
  Q4_0: decodeQ40,
  Q4_1: decodeQ41,
  Q5_0: decodeQ50,
  Q5_1: decodeQ51,
  Q4_K: decodeQ4K,
  Q5_K: decodeQ5K,
  Q6_K: decodeQ6K,
}

/** Whole blocks of `type` in, their elements out, in order. Throws RangeError where the bytes are no whole blocks. */
export function decodeTensor(type: GgmlTypeName, bytes: Uint8Array): Float32Array {
  const { block, bytes: blockBytes } = GGML_TYPES[type]
  const blocks = bytes.length / blockBytes
  if (!Number.isInteger(blocks)) throw new RangeError(`${bytes.length} bytes are no whole ${type} blocks`)
  const out = new Float32Array(blocks * block)
  if (type === 'F32') {
    new Uint8Array(out.buffer).set(bytes)
  } else if (type === 'F16') {
    for (let i = 0; i < blocks; i++) out[i] = halfAt(bytes, 2 * i)
  } else if (type === 'BF16') {
    const bits = new Uint32Array(out.buffer)
    for (let i = 0; i < blocks; i++) bits[i] = ((bytes[2 * i] ?? 0) << 16) | ((bytes[2 * i + 1] ?? 0) << 24)
  } else {
    const decode = BLOCKS[type]
    for (let i = 0; i < blocks; i++) decode(bytes, i * blockBytes, out, i * block)
  }
  return out
}

function decodeQ80(from: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(from, at)
  for (let i = 0; i < 32; i++) out[to + i] = d * (((from[at + 2 + i] ?? 0) << 24) >> 24)
}

function decodeQ40(from: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(from, at)
  for (let i = 0; i < 16; i++) {
    const byte = from[at + 2 + i] ?? 0
    out[to + i] = d * ((byte & 15) - 8)
    out[to + i + 16] = d * ((byte >> 4) - 8)
  }
}

function decodeQ41(from: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(from, at)
  const m = halfAt(from, at + 2)
  for (let i = 0; i < 16; i++) {
    const byte = from[at + 4 + i] ?? 0
    out[to + i] = d * (byte & 15) + m
    out[to + i + 16] = d * (byte >> 4) + m
  }
}

function decodeQ50(from: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(from, at)
  const high = highBits(from, at + 2)
  for (let i = 0; i < 16; i++) {
    const byte = from[at + 6 + i] ?? 0
    out[to + i] = d * (((byte & 15) | (((high >>> i) & 1) << 4)) - 16)
    out[to + i + 16] = d * (((byte >> 4) | (((high >>> (i + 16)) & 1) << 4)) - 16)
  }
}

function decodeQ51(from: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(from, at)
  const m = halfAt(from, at + 2)
  const high = highBits(from, at + 4)
  for (let i = 0; i < 16; i++) {
    const byte = from[at + 8 + i] ?? 0
    out[to + i] = d * ((byte & 15) | (((high >>> i) & 1) << 4)) + m
    out[to + i + 16] = d * ((byte >> 4) | (((high >>> (i + 16)) & 1) << 4)) + m
  }
}

/** The fifth bits of 32 elements. */
function highBits(from: Uint8Array, at: number): number {
  return (from[at] ?? 0) | ((from[at + 1] ?? 0) << 8) | ((from[at + 2] ?? 0) << 16) | ((from[at + 3] ?? 0) << 24)
}
