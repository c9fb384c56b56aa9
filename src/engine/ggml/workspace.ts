import assert from 'node:assert/strict'
import { Graph } from './graph.ts'
import type { Allocator, BufferHandle, Context, GraphHandle, Tensor } from './handles.ts'
import type { Ggml } from './load.ts'
import { offsetAddress } from './symbols.ts'

const ALIGNMENT = 64
const NO_MEMORY = 'There is not enough memory to compute: lower the rows a step, or free memory.'

type Run = { nodesMax: number; threads: number; build: (graph: Graph) => Tensor[] }

/**
 * Where graphs are built and run, one after the other. Inputs live in a buffer of their own: what ggml's allocator
 * hands out is overwritten while a graph runs.
 */
export class Workspace {
  private readonly ggml: Ggml
  private readonly allocator: Allocator
  private context: { handle: Context; nodesMax: number } | undefined
  private inputs: { handle: BufferHandle; bytes: number } | undefined

  constructor(ggml: Ggml) {
    this.ggml = ggml
    this.allocator = ggml.symbols.ggml_gallocr_new(ggml.bufferType)
  }

  /**
   * Builds a graph of at most `nodesMax` ops and views, computes it with the event loop free, and gives the bytes of
   * the tensors that `build` returned. Calls wait for one another in the whole process; `build` runs when it is its
   * turn, and its tensors are dead afterwards.
   */
  run({ nodesMax, threads, build }: Run): Promise<ArrayBuffer[]> {
    return oneAtATime(async () => {
      const { symbols } = this.ggml
      const context = this.contextFor(nodesMax)
      const handle = symbols.ggml_new_graph_custom(context, nodesMax, false)
      const graph = new Graph(symbols, context, handle)
      const outputs = build(graph)
      for (const tensor of outputs) graph.output(tensor)
      this.placeInputs(graph)
      if (!symbols.ggml_gallocr_alloc_graph(this.allocator, handle)) throw new Error(NO_MEMORY)
      for (const { tensor, bytes } of graph.inputs) {
        if (bytes !== undefined) symbols.ggml_backend_tensor_set(tensor, bytes, 0, bytes.byteLength)
      }
      this.ggml.setThreads(threads)
      await this.compute(handle)
      return outputs.map((tensor) => this.read(tensor))
    })
  }

  /** Bytes held for inputs and intermediate results, as the largest graph so far needed. */
  get size(): number {
    return this.ggml.symbols.ggml_gallocr_get_buffer_size(this.allocator, 0) + (this.inputs?.bytes ?? 0)
  }

  dispose(): void {
    const { symbols } = this.ggml
    if (this.inputs !== undefined) symbols.ggml_backend_buffer_free(this.inputs.handle)
    if (this.context !== undefined) symbols.ggml_free(this.context.handle)
    symbols.ggml_gallocr_free(this.allocator)
    this.inputs = undefined
    this.context = undefined
  }

  private contextFor(nodesMax: number): Context {
    const { symbols } = this.ggml
    if (this.context !== undefined && this.context.nodesMax >= nodesMax) {
      symbols.ggml_reset(this.context.handle)
      return this.context.handle
    }
    if (this.context !== undefined) symbols.ggml_free(this.context.handle)
    // As many leaves as nodes at most.
    const size = symbols.ggml_tensor_overhead() * nodesMax * 2 + symbols.ggml_graph_overhead_custom(nodesMax, false)
    const handle = symbols.ggml_init({ mem_size: size, mem_buffer: null, no_alloc: true })
    this.context = { handle, nodesMax }
    return handle
  }

  private placeInputs(graph: Graph): void {
    const { symbols } = this.ggml
    let total = 0
    const places = graph.inputs.map(({ tensor }) => {
      const offset = total
      total += Math.ceil(symbols.ggml_nbytes(tensor) / ALIGNMENT) * ALIGNMENT
      return { tensor, offset }
    })
    if (total === 0) return
    const buffer = this.inputBuffer(total)
    const base = symbols.ggml_backend_buffer_get_base(buffer)
    assert(base !== null, 'a buffer has memory')
    for (const { tensor, offset } of places) {
      symbols.ggml_backend_tensor_alloc(buffer, tensor, offsetAddress(base, offset))
    }
  }

  private inputBuffer(bytes: number): BufferHandle {
    const { symbols, bufferType } = this.ggml
    if (this.inputs !== undefined && this.inputs.bytes >= bytes) return this.inputs.handle
    if (this.inputs !== undefined) symbols.ggml_backend_buffer_free(this.inputs.handle)
    this.inputs = undefined
    const handle = symbols.ggml_backend_buft_alloc_buffer(bufferType, bytes)
    if (handle === null) throw new Error(NO_MEMORY)
    symbols.ggml_backend_buffer_clear(handle, 0)
    this.inputs = { handle, bytes }
    return handle
  }

  private read(tensor: Tensor): ArrayBuffer {
    const bytes = new Uint8Array(this.ggml.symbols.ggml_nbytes(tensor))
    this.ggml.symbols.ggml_backend_tensor_get(tensor, bytes, 0, bytes.byteLength)
    return bytes.buffer
  }

  private compute(handle: GraphHandle): Promise<void> {
    return new Promise((resolve, reject) => {
      this.ggml.symbols.ggml_backend_graph_compute.async(this.ggml.backend, handle, (error, status) => {
        if (error !== null && error !== undefined) reject(new Error('ggml could not be called', { cause: error }))
        else if (status !== 0) reject(new Error(`ggml ended a graph with status ${status}`))
        else resolve()
      })
    })
  }
}

/** ggml's threads spin while they wait: two graphs at once would starve each other for minutes. */
let last: Promise<unknown> = Promise.resolve()

function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work)
  last = mine.catch(() => undefined)
  return mine
}
