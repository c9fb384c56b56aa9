import assert from 'node:assert/strict'
import type { ElementType } from './element-types.ts'
import { Graph } from './graph.ts'
import type { Allocator, BufferHandle, Context, GraphHandle, Tensor } from './handles.ts'
import type { Ggml } from './load.ts'
import { offsetAddress } from './symbols.ts'

const ALIGNMENT = 64
const NO_MEMORY = 'There is not enough memory to compute: lower the rows a step, or free memory.'
/** Graphs that are kept for the next inputs of the same shapes; the one that was not used for longest goes. */
const KEPT_MAX = 16

type Run = { nodesMax: number; threads: number; build: (graph: Graph) => Tensor[] }

export type InputData = { type: ElementType; shape: readonly number[]; data: ArrayBufferView }

export type Inputs = Readonly<Record<string, InputData>>

type RunWith<Made> = {
  /** Says all that `build` depends on, but for the shapes and the numbers of the inputs; undefined: the graph is not kept. */
  key: string | undefined
  nodesMax: number
  threads: number
  inputs: Inputs
  /** The tensors to read, and what helps to understand them. */
  build: (graph: Graph, inputs: Readonly<Record<string, Tensor>>) => { outputs: Tensor[]; made: Made }
}

/** A graph and the memory that it lives in. */
type Built<Made> = { place: Place; handle: GraphHandle; inputs: Tensor[]; outputs: Tensor[]; made: Made }

/**
 * Where graphs are built and run, one after the other. Inputs live in a buffer of their own: what ggml's allocator
 * hands out is overwritten while a graph runs.
 */
export class Workspace {
  private readonly ggml: Ggml
  private readonly place: Place
  /** By key and shapes; the one used last is the last. */
  private readonly kept = new Map<string, Built<unknown>>()

  constructor(ggml: Ggml) {
    this.ggml = ggml
    this.place = new Place(ggml)
  }

  /**
   * Builds a graph of at most `nodesMax` ops and views, computes it with the event loop free, and gives the bytes of
   * the tensors that `build` returned. Calls wait for one another in the whole process; `build` runs when it is its
   * turn, and its tensors are dead afterwards.
   */
  run({ nodesMax, threads, build }: Run): Promise<ArrayBuffer[]> {
    return oneAtATime(async () => {
      const { handle, graph } = this.place.begin(nodesMax)
      const outputs = build(graph)
      this.place.end(graph, handle, outputs)
      for (const { tensor, bytes } of graph.inputs) if (bytes !== undefined) this.write(tensor, bytes)
      return this.compute(handle, threads, outputs)
    })
  }

  /** As `run`, for named inputs; a graph that was kept for inputs of the same shapes is computed again, and `build` does not run. */
  runWith<Made>(wish: RunWith<Made>): Promise<{ bytes: ArrayBuffer[]; made: Made }> {
    return oneAtATime(async () => {
      const data = Object.values(wish.inputs)
      const built = wish.key === undefined ? this.build(this.place, wish) : this.findOrKeep(wish.key, wish)
      for (const [i, tensor] of built.inputs.entries()) {
        const view = data[i]?.data
        assert(view !== undefined, 'every input has data')
        this.write(tensor, new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
      }
      return { bytes: await this.compute(built.handle, wish.threads, built.outputs), made: built.made }
    })
  }

  private findOrKeep<Made>(about: string, wish: RunWith<Made>): Built<Made> {
    const names = Object.entries(wish.inputs).map(([name, { shape }]) => `${name} ${shape.join('x')}`)
    const key = [about, ...names].join(', ')
    // What `build` of this very key made.
    const found = this.kept.get(key) as Built<Made> | undefined
    this.kept.delete(key)
    if (found === undefined && this.kept.size >= KEPT_MAX) this.forgetOldest()
    const built = found ?? this.keep(wish)
    this.kept.set(key, built)
    return built
  }

  private keep<Made>(wish: RunWith<Made>): Built<Made> {
    const place = new Place(this.ggml)
    try {
      return this.build(place, wish)
    } catch (error) {
      place.dispose()
      throw error
    }
  }

  private build<Made>(place: Place, { nodesMax, inputs, build }: RunWith<Made>): Built<Made> {
    const { handle, graph } = place.begin(nodesMax)
    const tensors: Record<string, Tensor> = {}
    for (const [name, { type, shape, data }] of Object.entries(inputs)) tensors[name] = graph.input(type, shape, data)
    const { outputs, made } = build(graph, tensors)
    place.end(graph, handle, outputs)
    // Those of `build` itself are filled once.
    for (const { tensor, bytes } of graph.inputs) if (bytes !== undefined) this.write(tensor, bytes)
    return { place, handle, inputs: Object.values(tensors), outputs, made }
  }

  private forgetOldest(): void {
    const [oldest] = this.kept
    if (oldest === undefined) return
    this.kept.delete(oldest[0])
    oldest[1].place.dispose()
  }

  /** Bytes held for inputs and intermediate results. */
  get size(): number {
    return this.place.size + this.kept.values().reduce((sum, { place }) => sum + place.size, 0)
  }

  dispose(): void {
    this.place.dispose()
    for (const { place } of this.kept.values()) place.dispose()
    this.kept.clear()
  }

  private write(tensor: Tensor, bytes: Uint8Array): void {
    this.ggml.symbols.ggml_backend_tensor_set(tensor, bytes, 0, bytes.byteLength)
  }

  private read(tensor: Tensor): ArrayBuffer {
    const bytes = new Uint8Array(this.ggml.symbols.ggml_nbytes(tensor))
    this.ggml.symbols.ggml_backend_tensor_get(tensor, bytes, 0, bytes.byteLength)
    return bytes.buffer
  }

  private compute(handle: GraphHandle, threads: number, outputs: readonly Tensor[]): Promise<ArrayBuffer[]> {
    this.ggml.setThreads(threads)
    return new Promise((resolve, reject) => {
      this.ggml.symbols.ggml_backend_graph_compute.async(this.ggml.backend, handle, (error, status) => {
        if (error !== null && error !== undefined) reject(new Error('ggml could not be called', { cause: error }))
        else if (status !== 0) reject(new Error(`ggml ended a graph with status ${status}`))
        else resolve(outputs.map((tensor) => this.read(tensor)))
      })
    })
  }
}

/** Memory for one graph at a time: its ops, its inputs, its intermediate results. It grows to the largest so far. */
class Place {
  private readonly ggml: Ggml
  private readonly allocator: Allocator
  private context: { handle: Context; nodesMax: number } | undefined
  private inputs: { handle: BufferHandle; bytes: number } | undefined

  constructor(ggml: Ggml) {
    this.ggml = ggml
    this.allocator = ggml.symbols.ggml_gallocr_new(ggml.bufferType)
  }

  /** An empty graph; the one before is dead. */
  begin(nodesMax: number): { handle: GraphHandle; graph: Graph } {
    const { symbols } = this.ggml
    const context = this.contextFor(nodesMax)
    const handle = symbols.ggml_new_graph_custom(context, nodesMax, false)
    return { handle, graph: new Graph(symbols, context, handle) }
  }

  /** Gives the graph its memory. */
  end(graph: Graph, handle: GraphHandle, outputs: readonly Tensor[]): void {
    for (const tensor of outputs) graph.output(tensor)
    this.placeInputs(graph)
    if (!this.ggml.symbols.ggml_gallocr_alloc_graph(this.allocator, handle)) throw new Error(NO_MEMORY)
  }

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
}

/** ggml's threads spin while they wait: two graphs at once would starve each other for minutes. */
let last: Promise<unknown> = Promise.resolve()

function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  const mine = last.then(work)
  last = mine.catch(() => undefined)
  return mine
}
