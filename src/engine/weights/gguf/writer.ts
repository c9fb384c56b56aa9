import { open, rename, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { GGML_TYPES, tensorBytes } from '../types.ts'
import type { GgmlTypeName } from '../types.ts'
import { ALIGNMENT_DEFAULT, ALIGNMENT_KEY, alignUp, MAGIC, VERSION_WRITTEN } from './format.ts'
import type { GgufValue } from './format.ts'
import { HeaderBytes } from './write-value.ts'

export type TensorDeclaration = { name: string; type: GgmlTypeName; shape: readonly number[] }

type Layout = { dataAt: number; alignment: number }

type Planned = TensorDeclaration & { bytes: number; offset: number }

/**
 * Streams tensors in declared order: `finish` writes the last byte and ends its life. Until then the file stands beside
 * its place under another name, so a half-written one is never taken for a model.
 */
export class GgufWriter {
  private readonly path: string
  private readonly handle: FileHandle
  private readonly planned: Planned[]
  private readonly dataAt: number
  private readonly alignment: number
  private current = 0
  private written = 0

  private constructor(path: string, handle: FileHandle, planned: Planned[], layout: Layout) {
    this.path = path
    this.handle = handle
    this.planned = planned
    this.dataAt = layout.dataAt
    this.alignment = layout.alignment
  }

  static async create(
    path: string,
    keys: Iterable<readonly [string, GgufValue]>,
    tensors: readonly TensorDeclaration[],
  ): Promise<GgufWriter> {
    const entries = [...keys]
    const alignment = Number(entries.find(([name]) => name === ALIGNMENT_KEY)?.[1].value ?? ALIGNMENT_DEFAULT)
    const planned = plan(tensors, alignment)
    const header = renderHeader(entries, planned, alignment)
    const handle = await open(`${path}.partial`, 'w')
    const writer = new GgufWriter(path, handle, planned, { dataAt: header.length, alignment })
    await writeFully(handle, header, 0)
    return writer
  }

  /** Of all tensors together. */
  get bytesPlanned(): number {
    return this.planned.reduce((sum, tensor) => sum + tensor.bytes, 0)
  }

  /** The next bytes of `name`: whole, or in any number of pieces. The names must come as declared. */
  async write(name: string, bytes: Uint8Array): Promise<void> {
    const tensor = this.planned[this.current]
    if (tensor?.name !== name) throw new RangeError(`${name} comes out of turn: ${tensor?.name ?? 'nothing'} is next`)
    if (this.written + bytes.length > tensor.bytes) throw new RangeError(`${name} has only ${tensor.bytes} bytes`)
    await writeFully(this.handle, bytes, this.dataAt + tensor.offset + this.written)
    this.written += bytes.length
    if (this.written === tensor.bytes) {
      this.current++
      this.written = 0
    }
  }

  async finish(): Promise<void> {
    const missing = this.planned[this.current]
    if (missing !== undefined) throw new RangeError(`${missing.name} was not written`)
    const last = this.planned.at(-1)
    const end = last === undefined ? 0 : alignUp(last.offset + last.bytes, this.alignment)
    await this.handle.truncate(this.dataAt + end)
    await this.handle.sync()
    await this.handle.close()
    await rename(`${this.path}.partial`, this.path)
  }

  /** Gives up: nothing stays on disk. */
  async abandon(): Promise<void> {
    await this.handle.close()
    await rm(`${this.path}.partial`, { force: true })
  }
}

function plan(tensors: readonly TensorDeclaration[], alignment: number): Planned[] {
  let offset = 0
  return tensors.map((tensor) => {
    const bytes = tensorBytes(tensor.type, tensor.shape)
    const planned = { ...tensor, bytes, offset }
    offset = alignUp(offset + bytes, alignment)
    return planned
  })
}

function renderHeader(keys: (readonly [string, GgufValue])[], tensors: Planned[], alignment: number): Uint8Array {
  const header = new HeaderBytes()
  header.u32(MAGIC)
  header.u32(VERSION_WRITTEN)
  header.u64(tensors.length)
  header.u64(keys.length)
  for (const [name, value] of keys) {
    header.string(name)
    header.value(value)
  }
  for (const tensor of tensors) {
    header.string(tensor.name)
    header.u32(tensor.shape.length)
    for (const length of tensor.shape) header.u64(length)
    header.u32(GGML_TYPES[tensor.type].id)
    header.u64(tensor.offset)
  }
  header.raw(new Uint8Array(alignUp(header.length, alignment) - header.length), false)
  return header.finish()
}

async function writeFully(handle: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  let done = 0
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, offset + done)
    done += bytesWritten
  }
}
