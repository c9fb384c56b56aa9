/** F32 to tensor bytes, as ggml's reference quantisers do it (ggml-quants.c, `quantize_row_*_ref`), in F32 arithmetic. */
import { encodeQ4K, encodeQ6K } from './encode-k.ts'
import { bf16Bits, f16Bits } from './half.ts'
import { GGML_TYPES } from './types.ts'
import type { GgmlTypeName } from './types.ts'

const { fround } = Math

type BlockEncoder = (from: Float32Array, at: number, out: DataView, to: number) => void

const ENCODERS = {
  F32: (from, at, out, to) => out.setFloat32(to, from[at] ?? 0, true),
  F16: (from, at, out, to) => out.setUint16(to, f16Bits(from[at] ?? 0), true),
  BF16: (from, at, out, to) => out.setUint16(to, bf16Bits(from[at] ?? 0), true),
  Q8_0: encodeQ80,
  Q4_0: encodeQ40,
  Q4_1: encodeQ41,
  Q4_K: encodeQ4K,
  Q6_K: encodeQ6K,
} as const satisfies Partial<Record<GgmlTypeName, BlockEncoder>>

export type WritableType = keyof typeof ENCODERS

export const WRITABLE_TYPES: readonly string[] = Object.keys(ENCODERS)

export function isWritable(type: string): type is WritableType {
  return WRITABLE_TYPES.includes(type)
}

/** Throws RangeError where the values are no whole blocks. */
export function encodeTensor(type: WritableType, values: Float32Array): Uint8Array {
  const { block, bytes } = GGML_TYPES[type]
  const blocks = values.length / block
  if (!Number.isInteger(blocks)) throw new RangeError(`${values.length} values are no whole ${type} blocks`)
  const out = new Uint8Array(blocks * bytes)
  const view = new DataView(out.buffer)
  const encode = ENCODERS[type]
  for (let i = 0; i < blocks; i++) encode(values, i * block, view, i * bytes)
  return out
}

function encodeQ80(from: Float32Array, at: number, out: DataView, to: number): void {
  let largest = 0
  for (let i = 0; i < 32; i++) largest = Math.max(largest, Math.abs(from[at + i] ?? 0))
  const d = fround(largest / 127)
  const inverse = d === 0 ? 0 : fround(1 / d)
  out.setUint16(to, f16Bits(d), true)
  for (let i = 0; i < 32; i++) out.setInt8(to + 2 + i, roundAway(fround((from[at + i] ?? 0) * inverse)))
}

/** C's `roundf`: halves away from zero. */
function roundAway(value: number): number {
  return Math.sign(value) * Math.floor(Math.abs(value) + 0.5)
}

function encodeQ40(from: Float32Array, at: number, out: DataView, to: number): void {
  let extreme = 0
  for (let i = 0; i < 32; i++) {
    const value = from[at + i] ?? 0
    if (Math.abs(value) > Math.abs(extreme)) extreme = value
  }
  const d = fround(extreme / -8)
  const inverse = d === 0 ? 0 : fround(1 / d)
  out.setUint16(to, f16Bits(d), true)
  for (let i = 0; i < 16; i++) {
    const low = quant40(from[at + i] ?? 0, inverse)
    out.setUint8(to + 2 + i, low | (quant40(from[at + i + 16] ?? 0, inverse) << 4))
  }
}

function quant40(value: number, inverse: number): number {
  return Math.min(15, Math.trunc(fround(fround(value * inverse) + 8.5)))
}

function encodeQ41(from: Float32Array, at: number, out: DataView, to: number): void {
  let low = Infinity
  let high = -Infinity
  for (let i = 0; i < 32; i++) {
    const value = from[at + i] ?? 0
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  const d = fround(fround(high - low) / 15)
  const inverse = d === 0 ? 0 : fround(1 / d)
  out.setUint16(to, f16Bits(d), true)
  out.setUint16(to + 2, f16Bits(low), true)
  for (let i = 0; i < 16; i++) {
    const first = quant41((from[at + i] ?? 0) - low, inverse)
    out.setUint8(to + 4 + i, first | (quant41((from[at + i + 16] ?? 0) - low, inverse) << 4))
  }
}

function quant41(above: number, inverse: number): number {
  return Math.min(15, Math.trunc(fround(fround(fround(above) * inverse) + 0.5)))
}
