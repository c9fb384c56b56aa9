/** The K types: 256 elements a block, scales of their own for each 16 or 32 of them (ggml-quants.c). */
import { halfAt } from './half.ts'

/** Scale and minimum j of 8, six bits each, packed into 12 bytes (`get_scale_min_k4`). */
function scaleAt(from: Uint8Array, at: number, j: number): number {
  if (j < 4) return (from[at + j] ?? 0) & 63
  return ((from[at + j + 4] ?? 0) & 15) | (((from[at + j - 4] ?? 0) >> 6) << 4)
}

function minimumAt(from: Uint8Array, at: number, j: number): number {
  if (j < 4) return (from[at + j + 4] ?? 0) & 63
  return ((from[at + j + 4] ?? 0) >> 4) | (((from[at + j] ?? 0) >> 6) << 4)
}

/** d, dmin, 12 bytes of scales, 128 bytes of nibbles. */
export function decodeQ4K(from: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(from, at)
  const dmin = halfAt(from, at + 2)
  for (let j = 0; j < 8; j++) {
    const scale = d * scaleAt(from, at + 4, j)
    const minimum = dmin * minimumAt(from, at + 4, j)
    const quants = at + 16 + (j >> 1) * 32
    const shift = (j & 1) * 4
    for (let i = 0; i < 32; i++) {
      out[to + j * 32 + i] = scale * (((from[quants + i] ?? 0) >> shift) & 15) - minimum
    }
  }
}

/** As Q4_K, with 32 bytes of fifth bits before the nibbles: bit j of byte i belongs to element i of part j. */
export function decodeQ5K(from: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(from, at)
  const dmin = halfAt(from, at + 2)
  for (let j = 0; j < 8; j++) {
    const scale = d * scaleAt(from, at + 4, j)
    const minimum = dmin * minimumAt(from, at + 4, j)
    const quants = at + 48 + (j >> 1) * 32
    const shift = (j & 1) * 4
    for (let i = 0; i < 32; i++) {
      const high = ((from[at + 16 + i] ?? 0) >> j) & 1
      out[to + j * 32 + i] = scale * ((((from[quants + i] ?? 0) >> shift) & 15) | (high << 4)) - minimum
    }
  }
}

/** 128 bytes of low nibbles, 64 bytes of high pairs, 16 signed scales, d. */
export function decodeQ6K(from: Uint8Array, at: number, out: Float32Array, to: number): void {
  const d = halfAt(from, at + 208)
  for (let e = 0; e < 256; e++) {
    const part = e >> 7
    const quarter = (e >> 5) & 3
    const i = e & 31
    const low = (from[at + part * 64 + (quarter & 1) * 32 + i] ?? 0) >> ((quarter >> 1) * 4)
    const high = (from[at + 128 + part * 32 + i] ?? 0) >> (quarter * 2)
    const scale = ((from[at + 192 + (e >> 4)] ?? 0) << 24) >> 24
    out[to + e] = d * scale * (((low & 15) | ((high & 3) << 4)) - 32)
  }
}
