import { readClock } from './clock.ts'
import type { Graph } from '../../src/engine/ggml/graph.ts'
import type { Tensor } from '../../src/engine/ggml/handles.ts'
import type { Kernel } from '../../src/engine/ggml/kernel.ts'
import { loadGgml } from '../../src/engine/ggml/load.ts'
import { multiplyChosen, quantise } from '../../src/engine/ggml/packed-product.ts'
import { Workspace } from '../../src/engine/ggml/workspace.ts'
import type { LayerWeights } from '../../src/engine/model/arrange-weights.ts'
import { Columns, multiplyLinear, type Linear, type Matrix } from '../../src/engine/model/linear.ts'
import { loadWeights, type LoadedWeights } from '../../src/engine/model/load-weights.ts'
import type { ModelSpec } from '../../src/engine/model/spec.ts'
import type { ModelFile } from '../../src/engine/weights/model-file.ts'

/** Rows of a forward: all, those with adapters, those whose prediction is wanted. */
export type Rows = { all: number; adapted: number; wanted: number }

/** A forward's products and nothing else, on the very weights that the opened forward holds: what the kernel needs for them. */
export class ProductsAlone {
  private readonly spec: ModelSpec
  private readonly weights: LoadedWeights
  private readonly workspace = new Workspace(loadGgml())

  private constructor(spec: ModelSpec, weights: LoadedWeights) {
    this.spec = spec
    this.weights = weights
  }

  static async open(file: ModelFile, kernel: Kernel | undefined): Promise<ProductsAlone> {
    return new ProductsAlone(file.spec, await loadWeights(loadGgml(), file, { precision: 'file', kernel }))
  }

  /** Milliseconds, the rounding of activations included. The first call of some rows also builds their graph. */
  async measure(rows: Rows, threads: number): Promise<number> {
    const { spec, weights, workspace } = this
    const start = readClock(threads)
    await workspace.runWith({
      key: JSON.stringify(rows),
      nodesMax: spec.layers * 96 + 64,
      threads,
      inputs: {},
      build: (graph) => {
        const products = new Products(graph)
        for (const layer of weights.layers) products.addLayer(layer, rows, spec)
        if (rows.wanted > 0) products.add(weights.head, rows.wanted)
        return { outputs: [], made: undefined }
      },
    })
    return readClock(threads) - start
  }

  close(): void {
    this.workspace.dispose()
    this.weights.release()
  }
}

class Products {
  private readonly graph: Graph
  private readonly inputs = new Map<string, Tensor>()
  private readonly first: Tensor

  constructor(graph: Graph) {
    this.graph = graph
    this.first = graph.input('I32', [1], new Int32Array(1))
  }

  addLayer({ qkv, attentionOutput, dense, adapters, experts }: LayerWeights, rows: Rows, spec: ModelSpec): void {
    for (const linear of [qkv, attentionOutput, dense?.gateUp, dense?.down]) if (linear) this.add(linear, rows.all)
    if (rows.adapted > 0 && adapters !== undefined) {
      for (const adapter of Object.values(adapters)) {
        if (adapter === undefined) continue
        this.add(adapter.a, rows.adapted)
        this.add(adapter.b, rows.adapted)
      }
    }
    if (experts === undefined || spec.router === undefined) return
    for (const matrix of [experts.gate, experts.up, experts.down]) this.addChosen(matrix, rows.all, spec.router)
  }

  add(linear: Linear, rows: number): void {
    const { graph } = this
    const x = new Columns(graph, { from: linear.from, rows }, { plain: () => this.input(linear.from, rows) })
    this.keep(multiplyLinear(graph, linear, x))
  }

  private addChosen({ packed }: Matrix, rows: number, { experts, used }: { experts: number; used: number }): void {
    if (packed === undefined) return
    const ids = Int32Array.from({ length: used * rows }, (_, i) => (i * 5 + Math.floor(i / used)) % experts)
    const chosen = { ids: this.graph.input('I32', [used, rows], ids), used, rows }
    const size = { from: packed.from, columns: rows }
    const x = quantise(this.graph, packed.kernel, this.input(packed.from, rows), size)
    this.keep(this.graph.reshape(multiplyChosen(this.graph, packed, x, chosen), [packed.to, used * rows, 1]))
  }

  private input(from: number, rows: number): Tensor {
    const key = `${from}/${rows}`
    const known = this.inputs.get(key)
    if (known !== undefined) return known
    const numbers = Float32Array.from({ length: from * rows }, (_, i) => Math.sin(i))
    const made = this.graph.input('F32', [from, rows], numbers)
    this.inputs.set(key, made)
    return made
  }

  /** One row of it is looked at: the next result then takes the same memory, as in a forward. */
  private keep(y: Tensor): void {
    this.graph.expand(this.graph.rows(y, this.first))
  }
}
