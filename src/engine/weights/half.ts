/** All 65,536 half-precision numbers as F32, by their bits: a look-up is faster than arithmetic. */
export const F16_TO_F32: Float32Array = Float32Array.from(
  new Float16Array(Uint16Array.from({ length: 65_536 }, (_, i) => i).buffer),
)

/** The half-precision number at byte `at`. */
export function halfAt(bytes: Uint8Array, at: number): number {
  return F16_TO_F32[(bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)] ?? 0
}

const half = new Float16Array(1)
const halfBits = new Uint16Array(half.buffer)
const single = new Float32Array(1)
const singleBits = new Uint32Array(single.buffer)

/** Nearest half-precision number's bits, ties to even. */
export function f16Bits(value: number): number {
  half[0] = value
  return halfBits[0] ?? 0
}

/** Nearest bfloat16's bits, ties to even; a NaN stays one. */
export function bf16Bits(value: number): number {
  single[0] = value
  const bits = singleBits[0] ?? 0
  if (Number.isNaN(value)) return (bits >>> 16) | 64
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16
}
