import { f16Bits, F16_TO_F32 } from './half.ts'

type Part = { scale: number; minimum: number }

/**
 * Q4_K without ggml's search for better scales: each 32 elements get the step and minimum that just hold them. Its error
 * is a little above ggml's; any reader decodes it.
 */
export function encodeQ4K(from: Float32Array, at: number, out: DataView, to: number): void {
  const parts = Array.from({ length: 8 }, (_, j) => rangeOf(from, at + j * 32))
  const d = halfOf(Math.max(...parts.map((part) => part.scale)) / 63)
  const dmin = halfOf(Math.max(...parts.map((part) => part.minimum)) / 63)
  const scales = parts.map((part) => (d === 0 ? 0 : Math.min(63, Math.ceil(part.scale / d))))
  const minimums = parts.map((part) => (dmin === 0 ? 0 : Math.min(63, Math.round(part.minimum / dmin))))
  out.setUint16(to, f16Bits(d), true)
  out.setUint16(to + 2, f16Bits(dmin), true)
  packScales(scales, minimums, out, to + 4)
  for (let pair = 0; pair < 4; pair++) {
    const quant = (j: number, i: number) => {
      const step = d * (scales[j] ?? 0)
      const lifted = (from[at + j * 32 + i] ?? 0) + dmin * (minimums[j] ?? 0)
      return step === 0 ? 0 : Math.min(15, Math.max(0, Math.round(lifted / step)))
    }
    for (let i = 0; i < 32; i++) {
      out.setUint8(to + 16 + pair * 32 + i, quant(2 * pair, i) | (quant(2 * pair + 1, i) << 4))
    }
  }
}

/** Q6_K, as simply: the largest of each 16 elements is 31 steps. Steps are signed bytes times d. */
export function encodeQ6K(from: Float32Array, at: number, out: DataView, to: number): void {
  const steps = Array.from({ length: 16 }, (_, j) => {
    let largest = 0
    for (let i = 0; i < 16; i++) largest = Math.max(largest, Math.abs(from[at + j * 16 + i] ?? 0))
    return largest / 31
  })
  const d = halfOf(Math.max(...steps) / 127)
  const scales = steps.map((step) => (d === 0 ? 0 : Math.min(127, Math.ceil(step / d))))
  for (let i = 0; i < 192; i++) out.setUint8(to + i, 0)
  for (const [j, scale] of scales.entries()) out.setInt8(to + 192 + j, scale)
  out.setUint16(to + 208, f16Bits(d), true)
  for (let e = 0; e < 256; e++) {
    const step = d * (scales[e >> 4] ?? 0)
    const quant = step === 0 ? 32 : Math.min(63, Math.max(0, Math.round((from[at + e] ?? 0) / step) + 32))
    const [part, quarter, i] = [e >> 7, (e >> 5) & 3, e & 31]
    const low = to + part * 64 + (quarter & 1) * 32 + i
    const high = to + 128 + part * 32 + i
    out.setUint8(low, out.getUint8(low) | ((quant & 15) << ((quarter >> 1) * 4)))
    out.setUint8(high, out.getUint8(high) | ((quant >> 4) << (quarter * 2)))
  }
}

/** Values are step × quant − minimum, so the minimum is never negative. */
function rangeOf(from: Float32Array, at: number): Part {
  let low = 0
  let high = 0
  for (let i = 0; i < 32; i++) {
    const value = from[at + i] ?? 0
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return { scale: (high - low) / 15, minimum: -low }
}

/** Parts 0 to 3 have a byte each for scale and minimum; the others' low nibbles share one, their high pairs sit above. */
function packScales(scales: readonly number[], minimums: readonly number[], out: DataView, to: number): void {
  for (let j = 0; j < 4; j++) {
    const [scale, minimum] = [scales[j + 4] ?? 0, minimums[j + 4] ?? 0]
    out.setUint8(to + j, (scales[j] ?? 0) | ((scale >> 4) << 6))
    out.setUint8(to + j + 4, (minimums[j] ?? 0) | ((minimum >> 4) << 6))
    out.setUint8(to + j + 8, (scale & 15) | ((minimum & 15) << 4))
  }
}

function halfOf(value: number): number {
  return F16_TO_F32[f16Bits(value)] ?? 0
}
