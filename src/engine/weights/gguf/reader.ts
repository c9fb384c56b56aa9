import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { WeightsError } from '../errors.ts'
import type { TensorEntry } from './format.ts'
import { GgufKeys } from './keys.ts'
import { parseHeader } from './parse-header.ts'
import type { GgufHeader } from './parse-header.ts'

/** Enough for the header of a vocabulary of 49,152; a longer one costs a second read. */
const FIRST_READ_BYTES = 2 ** 21

/** View of one GGUF file: keys and tensor table are read and checked against the file's size, tensor bytes stay on disk. */
export class GgufReader {
  readonly path: string
  readonly fileBytes: number
  readonly modifiedMs: number
  readonly header: GgufHeader
  readonly keys: GgufKeys
  private readonly handle: FileHandle

  private constructor(path: string, handle: FileHandle, stat: { size: number; mtimeMs: number }, header: GgufHeader) {
    this.path = path
    this.handle = handle
    this.fileBytes = stat.size
    this.modifiedMs = stat.mtimeMs
    this.header = header
    this.keys = new GgufKeys(header.keys, path)
  }

  /** Throws WeightsError with a sentence that begins with the path. */
  static async open(path: string): Promise<GgufReader> {
    const handle = await openFile(path)
    try {
      const stat = await handle.stat()
      if (!stat.isFile()) throw new WeightsError('this is no file')
      const header = await readHeader(handle, stat.size)
      return new GgufReader(path, handle, stat, header)
    } catch (error) {
      await handle.close()
      if (error instanceof WeightsError) throw new WeightsError(`${path}: ${error.message}`)
      throw error
    }
  }

  findTensor(name: string): TensorEntry | undefined {
    return this.header.tensors.get(name)
  }

  /** The tensor's bytes as they stand in the file, in a new array or in `target`. */
  async read(tensor: TensorEntry, target: Uint8Array = new Uint8Array(tensor.bytes)): Promise<Uint8Array> {
    if (target.length !== tensor.bytes) throw new RangeError(`${tensor.name} has ${tensor.bytes} bytes`)
    await readFully(this.handle, target, tensor.offset, this.path)
    return target
  }

  async close(): Promise<void> {
    await this.handle.close()
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r')
  } catch (error) {
    throw new WeightsError(`${path}: cannot be opened (${error instanceof Error ? error.message : String(error)})`)
  }
}

async function readHeader(handle: FileHandle, fileBytes: number): Promise<GgufHeader> {
  let wanted = Math.min(FIRST_READ_BYTES, fileBytes)
  while (true) {
    const bytes = new Uint8Array(wanted)
    await readFully(handle, bytes, 0, 'the header')
    const parsed = parseHeader(bytes, fileBytes)
    if (parsed.kind === 'header') return parsed.header
    // At least four times as much, so that a long header costs a few rounds and not one a string.
    wanted = Math.min(fileBytes, Math.max(parsed.bytes, wanted * 4))
  }
}

async function readFully(handle: FileHandle, target: Uint8Array, offset: number, what: string): Promise<void> {
  let done = 0
  while (done < target.length) {
    const { bytesRead } = await handle.read(target, done, Math.min(target.length - done, 2 ** 30), offset + done)
    if (bytesRead === 0) throw new WeightsError(`${what}: ends at byte ${offset + done}, it was cut while in use`)
    done += bytesRead
  }
}
