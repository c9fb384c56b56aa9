import { VALUE_TYPES } from './format.ts'
import type { GgufArray, GgufValue, SmallNumberType } from './format.ts'
import { stringBytes, stringCount } from './string-table.ts'

/** Grows as it is written: the header of a file, little-endian. */
export class HeaderBytes {
  private bytes = new Uint8Array(2 ** 16)
  private view = new DataView(this.bytes.buffer)
  private at = 0
  private readonly encoder = new TextEncoder()

  get length(): number {
    return this.at
  }

  u32(value: number): void {
    const at = this.room(4)
    this.view.setUint32(at, value, true)
  }

  u64(value: number | bigint): void {
    const at = this.room(8)
    this.view.setBigUint64(at, BigInt.asUintN(64, BigInt(value)), true)
  }

  string(text: string): void {
    this.raw(this.encoder.encode(text), true)
  }

  raw(bytes: Uint8Array, withLength: boolean): void {
    if (withLength) this.u64(bytes.length)
    const at = this.room(bytes.length)
    this.bytes.set(bytes, at)
  }

  number(type: SmallNumberType, value: number): void {
    const at = this.room(VALUE_TYPES[type].bytes)
    const { view } = this
    const set = {
      u8: () => view.setUint8(at, value),
      i8: () => view.setInt8(at, value),
      u16: () => view.setUint16(at, value, true),
      i16: () => view.setInt16(at, value, true),
      u32: () => view.setUint32(at, value, true),
      i32: () => view.setInt32(at, value, true),
      f32: () => view.setFloat32(at, value, true),
      f64: () => view.setFloat64(at, value, true),
    }
    set[type]()
  }

  value(entry: GgufValue): void {
    this.u32(VALUE_TYPES[entry.type].id)
    if (entry.type === 'array') this.array(entry)
    else if (entry.type === 'string') this.string(entry.value)
    else if (entry.type === 'bool') this.number('u8', entry.value ? 1 : 0)
    else if (entry.type === 'u64' || entry.type === 'i64') this.u64(entry.value)
    else this.number(entry.type, entry.value)
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return this.bytes.slice(0, this.at)
  }

  private array(entry: GgufArray): void {
    this.u32(VALUE_TYPES[entry.of].id)
    this.u64(entry.of === 'string' ? stringCount(entry.value) : entry.value.length)
    if (entry.of === 'string') {
      for (let i = 0; i < stringCount(entry.value); i++) this.raw(stringBytes(entry.value, i), true)
    } else if (entry.of === 'array') {
      for (const inner of entry.value) this.array(inner)
    } else if (entry.of === 'bool') {
      for (const value of entry.value) this.number('u8', value ? 1 : 0)
    } else if (entry.of === 'u64' || entry.of === 'i64') {
      for (const value of Array.from(entry.value)) this.u64(value)
    } else {
      for (const value of Array.from(entry.value)) this.number(entry.of, value)
    }
  }

  private room(count: number): number {
    const begin = this.at
    this.at += count
    if (this.at > this.bytes.length) {
      const grown = new Uint8Array(Math.max(this.at, this.bytes.length * 2))
      grown.set(this.bytes)
      this.bytes = grown
      this.view = new DataView(grown.buffer)
    }
    return begin
  }
}
