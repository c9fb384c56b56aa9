/**
 * GGUF as a format: magic, versions, value types, alignment. Nothing here reads or writes.
 * Source: github.com/ggml-org/ggml, docs/gguf.md. Versions 2 and 3 have one layout (3 also allows big-endian files).
 */
import type { StringTable } from './string-table.ts'
import type { GgmlTypeName } from '../types.ts'

/** "GGUF", little-endian. */
export const MAGIC = 0x46554747
export const VERSIONS: readonly number[] = [2, 3]
export const VERSION_WRITTEN = 3
export const ALIGNMENT_KEY = 'general.alignment'
export const ALIGNMENT_DEFAULT = 32
/** ggml has no more. */
export const DIMENSIONS_MAX = 4

export const VALUE_TYPES = {
  u8: { id: 0, bytes: 1 },
  i8: { id: 1, bytes: 1 },
  u16: { id: 2, bytes: 2 },
  i16: { id: 3, bytes: 2 },
  u32: { id: 4, bytes: 4 },
  i32: { id: 5, bytes: 4 },
  f32: { id: 6, bytes: 4 },
  bool: { id: 7, bytes: 1 },
  /** Bytes here: of the length that stands before it. */
  string: { id: 8, bytes: 8 },
  /** Bytes here: of element type and count. */
  array: { id: 9, bytes: 12 },
  u64: { id: 10, bytes: 8 },
  i64: { id: 11, bytes: 8 },
  f64: { id: 12, bytes: 8 },
} as const

export type ValueTypeName = keyof typeof VALUE_TYPES

export const VALUE_TYPE_NAMES: ReadonlyMap<number, ValueTypeName> = new Map(
  Object.entries(VALUE_TYPES).map(([name, { id }]) => [id, name as ValueTypeName]),
)

export type SmallNumberType = 'u8' | 'i8' | 'u16' | 'i16' | 'u32' | 'i32' | 'f32' | 'f64'

/** One value with its type, so that what was read can be written again as it was. */
export type GgufValue =
  | { type: SmallNumberType; value: number }
  | { type: 'u64'; value: bigint }
  | { type: 'i64'; value: bigint }
  | { type: 'bool'; value: boolean }
  | { type: 'string'; value: string }
  | GgufArray

export type GgufArray =
  | { type: 'array'; of: SmallNumberType; value: ArrayLike<number> }
  | { type: 'array'; of: 'u64'; value: ArrayLike<bigint> }
  | { type: 'array'; of: 'i64'; value: ArrayLike<bigint> }
  | { type: 'array'; of: 'bool'; value: boolean[] }
  | { type: 'array'; of: 'string'; value: StringTable }
  | { type: 'array'; of: 'array'; value: GgufArray[] }

export type TensorEntry = {
  name: string
  type: GgmlTypeName
  /** Row length first (ggml's `ne`). */
  shape: number[]
  bytes: number
  /** From the beginning of the file. */
  offset: number
}

export function alignUp(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment
}
