import assert from 'node:assert/strict'
import { ELEMENT_TYPES, type ElementType } from './element-types.ts'
import type { BufferHandle, Context, Tensor } from './handles.ts'
import type { Ggml } from './load.ts'
import { viewMemory } from './symbols.ts'

/**
 * Tensors that outlive a graph: weights, caches, constants. Declare all, allocate once, fill, and dispose at the end;
 * its tensors and byte views are dead then.
 */
export class Arena {
  private readonly ggml: Ggml
  private context: Context | undefined
  private buffer: BufferHandle | undefined
  private declared = 0
  private readonly tensorsMax: number

  constructor(ggml: Ggml, tensorsMax: number) {
    this.ggml = ggml
    this.tensorsMax = tensorsMax
    const overhead = ggml.symbols.ggml_tensor_overhead()
    this.context = ggml.symbols.ggml_init({ mem_size: overhead * (tensorsMax + 1), mem_buffer: null, no_alloc: true })
  }

  /** A tensor of up to 4 dimensions, row length first. Its memory comes with `allocate`. */
  declare(type: ElementType, shape: readonly number[]): Tensor {
    assert(this.context !== undefined && this.buffer === undefined, 'declare comes before allocate and dispose')
    assert(this.declared < this.tensorsMax, `an arena of ${this.tensorsMax} tensors is full`)
    this.declared += 1
    const [a = 1, b = 1, c = 1, d = 1] = shape
    return this.ggml.symbols.ggml_new_tensor_4d(this.context, ELEMENT_TYPES[type], a, b, c, d)
  }

  /**
   * Memory for all declared tensors: zeros, or `raw`, whatever stands there. Throws a sentence when the system has not
   * that much.
   */
  allocate(fill: 'zeros' | 'raw' = 'zeros'): void {
    assert(this.context !== undefined && this.buffer === undefined, 'allocate comes once')
    if (this.declared === 0) return
    const buffer = this.ggml.symbols.ggml_backend_alloc_ctx_tensors_from_buft(this.context, this.ggml.bufferType)
    if (buffer === null) throw new Error('There is not enough memory for the model: free some, or bind a smaller one.')
    this.buffer = buffer
    if (fill === 'zeros') this.ggml.symbols.ggml_backend_buffer_clear(buffer, 0)
  }

  /** Bytes of all tensors, padding included. */
  get size(): number {
    return this.buffer === undefined ? 0 : this.ggml.symbols.ggml_backend_buffer_get_size(this.buffer)
  }

  /** The tensor's own memory: reading and writing it needs no copy. Dead after `dispose`. */
  bytes(tensor: Tensor): Uint8Array<ArrayBuffer> {
    assert(this.buffer !== undefined, 'an arena has memory between allocate and dispose')
    const address = this.ggml.symbols.ggml_get_data(tensor)
    assert(address !== null, 'a declared tensor has memory')
    return viewMemory(address, this.ggml.symbols.ggml_nbytes(tensor))
  }

  dispose(): void {
    if (this.buffer !== undefined) this.ggml.symbols.ggml_backend_buffer_free(this.buffer)
    if (this.context !== undefined) this.ggml.symbols.ggml_free(this.context)
    this.buffer = undefined
    this.context = undefined
  }
}
