import { WeightsError } from '../errors.ts'
import type { GgufValue } from './format.ts'
import type { StringTable } from './string-table.ts'

/** A file's keys, asked for by the type that is expected. `find…`: undefined where absent, throws where of another type. */
export class GgufKeys {
  private readonly keys: ReadonlyMap<string, GgufValue>
  private readonly path: string

  constructor(keys: ReadonlyMap<string, GgufValue>, path: string) {
    this.keys = keys
    this.path = path
  }

  names(): string[] {
    return [...this.keys.keys()]
  }

  find(name: string): GgufValue | undefined {
    return this.keys.get(name)
  }

  findString(name: string): string | undefined {
    const found = this.keys.get(name)
    if (found === undefined) return undefined
    return found.type === 'string' ? found.value : this.refuse(name, 'a string')
  }

  findBoolean(name: string): boolean | undefined {
    const found = this.keys.get(name)
    if (found === undefined) return undefined
    return found.type === 'bool' ? found.value : this.refuse(name, 'true or false')
  }

  findNumber(name: string): number | undefined {
    const value = this.keys.get(name)?.value
    if (value === undefined || typeof value === 'number') return value
    return typeof value === 'bigint' ? Number(value) : this.refuse(name, 'a number')
  }

  /** A whole number from 0 to 2^53. */
  findCount(name: string): number | undefined {
    const value = this.findNumber(name)
    return value === undefined || (Number.isSafeInteger(value) && value >= 0) ? value : this.refuse(name, 'a count')
  }

  getCount(name: string): number {
    return this.findCount(name) ?? this.miss(name)
  }

  findNumbers(name: string): ArrayLike<number> | undefined {
    const found = this.keys.get(name)
    if (found === undefined) return undefined
    if (found.type !== 'array' || typeof (found.value as ArrayLike<unknown>)[0] === 'bigint') {
      return this.refuse(name, 'an array of numbers')
    }
    if (
      found.of === 'string' ||
      found.of === 'bool' ||
      found.of === 'array' ||
      found.of === 'u64' ||
      found.of === 'i64'
    ) {
      return this.refuse(name, 'an array of numbers')
    }
    return found.value
  }

  findTable(name: string): StringTable | undefined {
    const found = this.keys.get(name)
    if (found === undefined) return undefined
    return found.type === 'array' && found.of === 'string' ? found.value : this.refuse(name, 'an array of strings')
  }

  /** Throws: the key is there, but is not what it must be. */
  refuse(name: string, expected: string): never {
    throw new WeightsError(`${this.path}: the key ${name} must be ${expected}`)
  }

  /** Throws: the key is not there. */
  miss(name: string): never {
    throw new WeightsError(`${this.path}: the key ${name} is missing`)
  }
}
