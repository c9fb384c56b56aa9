import { WeightsError } from '../errors.ts'
import { VALUE_TYPE_NAMES, VALUE_TYPES } from './format.ts'
import type { GgufArray, GgufValue, SmallNumberType, ValueTypeName } from './format.ts'
import type { HeaderCursor } from './header-cursor.ts'
import type { StringTable } from './string-table.ts'

/** Arrays in arrays deeper than this are refused: no file of a model has them, and they would eat the stack. */
const DEPTH_MAX = 4

const ARRAYS = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const

/** One value of a key. `what` names it in errors. */
export function parseValue(cursor: HeaderCursor, what: string): GgufValue {
  return parseOfType(cursor, parseType(cursor, what), what)
}

function parseType(cursor: HeaderCursor, what: string): ValueTypeName {
  const begin = cursor.at
  const id = cursor.u32(`the type of ${what}`)
  const type = VALUE_TYPE_NAMES.get(id)
  if (type === undefined) throw new WeightsError(`${what} has the unknown value type ${id} at byte ${begin}`)
  return type
}

function parseOfType(cursor: HeaderCursor, type: ValueTypeName, what: string): GgufValue {
  switch (type) {
    case 'array':
      return parseArray(cursor, what, 1)
    case 'string':
      return { type, value: cursor.string(what) }
    case 'bool':
      return { type, value: parseBool(cursor, what) }
    case 'u64':
      return { type, value: new BigUint64Array(copyOf(cursor, 8, what))[0] ?? 0n }
    case 'i64':
      return { type, value: new BigInt64Array(copyOf(cursor, 8, what))[0] ?? 0n }
    default:
      return { type, value: numbers(cursor, type, 1, what)[0] ?? 0 }
  }
}

function parseBool(cursor: HeaderCursor, what: string): boolean {
  const value = cursor.u8(what)
  if (value > 1) throw new WeightsError(`${what} at byte ${cursor.at - 1} is ${value}, neither true nor false`)
  return value === 1
}

function parseArray(cursor: HeaderCursor, what: string, depth: number): GgufArray {
  if (depth > DEPTH_MAX) throw new WeightsError(`${what} nests arrays more than ${DEPTH_MAX} deep`)
  const of = parseType(cursor, `the elements of ${what}`)
  const count = cursor.count(`elements of ${what}`, VALUE_TYPES[of].bytes)
  switch (of) {
    case 'array': {
      const value: GgufArray[] = []
      for (let i = 0; i < count; i++) value.push(parseArray(cursor, what, depth + 1))
      return { type: 'array', of, value }
    }
    case 'string':
      return { type: 'array', of, value: parseStrings(cursor, count, what) }
    case 'bool': {
      const value: boolean[] = []
      for (let i = 0; i < count; i++) value.push(parseBool(cursor, what))
      return { type: 'array', of, value }
    }
    case 'u64':
      return { type: 'array', of, value: new BigUint64Array(copyOf(cursor, count * 8, what)) }
    case 'i64':
      return { type: 'array', of, value: new BigInt64Array(copyOf(cursor, count * 8, what)) }
    default:
      return { type: 'array', of, value: numbers(cursor, of, count, what) }
  }
}

/** Every machine that Node runs on here is little-endian, as the file is. */
function numbers(cursor: HeaderCursor, type: SmallNumberType, count: number, what: string): ArrayLike<number> {
  return new ARRAYS[type](copyOf(cursor, count * VALUE_TYPES[type].bytes, what))
}

function copyOf(cursor: HeaderCursor, bytes: number, what: string): ArrayBuffer {
  const begin = cursor.take(bytes, what)
  return new Uint8Array(cursor.bytes.subarray(begin, begin + bytes)).buffer
}

function parseStrings(cursor: HeaderCursor, count: number, what: string): StringTable {
  const base = cursor.at
  const bounds = new Uint32Array(2 * count)
  for (let i = 0; i < count; i++) {
    const length = cursor.u64(`the length of string ${i} of ${what}`)
    const begin = cursor.take(length, `string ${i} of ${what}`) - base
    bounds[2 * i] = begin
    bounds[2 * i + 1] = begin + length
  }
  if (cursor.at - base >= 2 ** 32) throw new WeightsError(`${what} is larger than 4 GiB`)
  return { bytes: cursor.bytes.slice(base, cursor.at), bounds }
}
