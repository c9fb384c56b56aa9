import { WeightsError } from '../errors.ts'

/** Thrown where the bytes at hand end before the file does: the caller reads at least `bytes` of it and begins again. */
export class MoreWanted {
  readonly bytes: number
  constructor(bytes: number) {
    this.bytes = bytes
  }
}

/** Reads little-endian values from a file's beginning. Nothing is read, or made room for, that the file cannot hold. */
export class HeaderCursor {
  at = 0
  readonly bytes: Uint8Array
  readonly fileBytes: number
  private readonly view: DataView
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

  constructor(bytes: Uint8Array, fileBytes: number) {
    this.bytes = bytes
    this.fileBytes = fileBytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Where the next `count` bytes begin; they are at hand then. */
  take(count: number, what: string): number {
    const begin = this.at
    const end = begin + count
    if (end > this.fileBytes) {
      throw new WeightsError(
        `${what} needs ${count} bytes at byte ${begin}, but the file ends at byte ${this.fileBytes}: it is cut or damaged`,
      )
    }
    if (end > this.bytes.length) throw new MoreWanted(end)
    this.at = end
    return begin
  }

  /** Refuses a count of things that would not fit into the rest of the file even at their smallest. */
  count(what: string, bytesEach: number): number {
    const begin = this.at
    const count = this.u64(`the number of ${what}`)
    if (count * bytesEach > this.fileBytes - this.at) {
      throw new WeightsError(`${count} ${what} are claimed at byte ${begin}, more than the rest of the file can hold`)
    }
    return count
  }

  u8(what: string): number {
    return this.view.getUint8(this.take(1, what))
  }

  u32(what: string): number {
    return this.view.getUint32(this.take(4, what), true)
  }

  /** As a number: more than 2^53 is refused, for no file is so large. */
  u64(what: string): number {
    const begin = this.take(8, what)
    const value = this.view.getUint32(begin + 4, true) * 2 ** 32 + this.view.getUint32(begin, true)
    if (!Number.isSafeInteger(value)) throw new WeightsError(`${what} at byte ${begin} is impossibly large`)
    return value
  }

  string(what: string): string {
    const length = this.u64(`the length of ${what}`)
    const begin = this.take(length, what)
    try {
      return this.decoder.decode(this.bytes.subarray(begin, begin + length))
    } catch {
      throw new WeightsError(`${what} at byte ${begin} is not UTF-8`)
    }
  }
}
