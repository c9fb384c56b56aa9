import assert from 'node:assert/strict'
import { Arena } from '../ggml/arena.ts'
import type { Graph } from '../ggml/graph.ts'
import type { Tensor } from '../ggml/handles.ts'
import type { Kernel } from '../ggml/kernel.ts'
import { loadGgml, type Ggml } from '../ggml/load.ts'
import { selfTestOnce } from '../ggml/self-test.ts'
import { Workspace } from '../ggml/workspace.ts'
import type { ModelFile } from '../weights/model-file.ts'
import { attend } from './attention.ts'
import { checkWorks } from './check-works.ts'
import { feedForward } from './feed-forward.ts'
import type { Candidates, Forward, Lease, Span, Work } from './forward.ts'
import { listWanted, predict, readCandidates, type HeadOutputs } from './head.ts'
import { KvCache } from './kv-cache.ts'
import { loadWeights, type LoadedWeights, type Precision } from './load-weights.ts'
import { planBatch, type BatchPlan } from './plan-batch.ts'
import type { ModelSpec } from './spec.ts'
import { normColumns } from './linear.ts'
import { arrangeInputs, declareWorks, index, listAttending, listInputs, type Step } from './step.ts'

export type ForwardOptions = {
  precision: Precision
  /** Left out, ggml computes all products. */
  kernel?: Kernel | undefined
  /** `bf16` serves; `f32` is for proofs. */
  cacheType: 'bf16' | 'f32'
  /** Cells for all sequences together. */
  cells: number
  threads: number
  /** Gives all logits of each wanted row: for tests and the comparison with other programs. */
  keepLogits: boolean
  /** Columns that a product has at least; found by the self-test where it is left out, as it always is but in tests. */
  columnsMin?: number
}

/** Of more rows a forward takes so long that building its graph does not matter. */
const KEPT_ROWS_MAX = 16

/** Where no number of columns was steady, replies may depend on the batch; `doctor` tells. */
const COLUMNS_MIN = 2

/** Loads the weights and makes the cache. Throws a sentence when memory is short, or a library is missing or computes wrongly. */
export async function openForward(file: ModelFile, options: ForwardOptions): Promise<GgmlForward> {
  const ggml = loadGgml()
  const { columnsMin = COLUMNS_MIN } = await selfTestOnce(ggml)
  const weights = await loadWeights(ggml, file, { precision: options.precision, kernel: options.kernel })
  try {
    return new GgmlForward(ggml, file.spec, weights, { columnsMin, ...options })
  } catch (error) {
    weights.release()
    throw error
  }
}

/** The arithmetic of one model through ggml, on the processor. */
export class GgmlForward implements Forward {
  /** Of the next computation; more than the machine has free makes every step slow. */
  threads: number
  readonly spec: ModelSpec
  private readonly weights: LoadedWeights
  private readonly cache: KvCache
  private readonly workspace: Workspace
  private readonly constants: Arena
  private readonly bias: Tensor
  private readonly keepLogits: boolean
  private readonly columnsMin: number
  /** Attends for all rows at once; ggml does, work by work, where it is undefined. */
  private readonly attending: Kernel | undefined
  private readonly spoilt = new Set<number>()
  private computing = 0
  private closed = false

  constructor(ggml: Ggml, spec: ModelSpec, weights: LoadedWeights, options: ForwardOptions & { columnsMin: number }) {
    this.spec = spec
    this.weights = weights
    this.threads = options.threads
    this.keepLogits = options.keepLogits
    this.attending = options.kernel?.attends(spec.headWidth) === true ? options.kernel : undefined
    this.cache = new KvCache(ggml, spec, {
      cells: options.cells,
      type: options.cacheType === 'f32' ? 'F32' : 'BF16',
      order: this.attending === undefined ? 'whole' : 'blocks',
    })
    // A kernel's column is the same alone: only ggml's products want more.
    this.columnsMin = this.attending !== undefined && weights.packed ? 1 : options.columnsMin
    this.workspace = new Workspace(ggml)
    this.constants = new Arena(ggml, 1)
    this.bias = this.constants.declare('F32', [spec.vocabulary])
    this.constants.allocate()
    const bias = new Float32Array(this.constants.bytes(this.bias).buffer)
    for (const token of spec.bannedTokens) bias[token] = -Infinity
  }

  get cellsFree(): number {
    return this.cache.cellsFree
  }

  get cellsTotal(): number {
    return this.cache.cells
  }

  /** Bytes held: weights (shared ones counted in each model), cache, and room for computing as it has grown. */
  get bytes(): { weights: number; cache: number; workspace: number } {
    return { weights: this.weights.bytes, cache: this.cache.size, workspace: this.workspace.size }
  }

  lease(cells: number): Lease | undefined {
    return this.cache.lease(cells)
  }

  fits(cells: number, without: readonly Lease[]): boolean {
    return this.cache.fits(cells, without)
  }

  release(lease: Lease): void {
    // A cell that holds no number spoils even the rows that skip it: 0 · NaN is NaN.
    if (this.spoilt.delete(lease.id)) this.cache.clear(lease)
    this.cache.release(lease)
  }

  copy(from: Lease, to: Lease, count: number): void {
    this.cache.copy(from, to, count)
  }

  async compute(works: readonly Work[]): Promise<Candidates[][]> {
    assert(!this.closed, 'the forward is closed')
    checkWorks(works, this.spec)
    for (const { lease, spans } of works) this.cache.prepare(lease, Math.max(...spans.map(endOf)))
    const plan = planBatch(works, {
      group: this.spec.heads / this.spec.kvHeads,
      adapters: this.spec.adapterRank > 0,
      columnsMin: this.columnsMin,
      fused: this.attending !== undefined,
      maskToken: this.weights.maskVector === undefined ? undefined : this.spec.maskToken,
      startOf: ({ lease }) => this.cache.startOf(lease),
    })
    this.computing += 1
    try {
      const found = await this.run(plan)
      return this.share(works, plan, found)
    } finally {
      this.computing -= 1
    }
  }

  /** Frees everything. Not while a computation runs. */
  close(): void {
    assert(this.computing === 0, 'a forward closes when its computations have ended')
    if (this.closed) return
    this.closed = true
    this.workspace.dispose()
    this.constants.dispose()
    this.cache.dispose()
    this.weights.release()
  }

  private async run(plan: BatchPlan): Promise<Candidates[]> {
    const { spec, attending: kernel, threads } = this
    const { layers, router } = spec
    const wanted = listWanted(plan.wanted, this.columnsMin)
    const inputs = {
      ...listInputs(plan),
      ...(kernel === undefined ? {} : listAttending(plan, spec)),
      ...Object.fromEntries(wanted.map((rows, i) => [`wanted${i}`, index(rows)])),
    }
    const { bytes, made } = await this.workspace.runWith({
      // Where few rows are computed, building would be a fifth of the time.
      key: kernel !== undefined && plan.rowsAll <= KEPT_ROWS_MAX ? `from ${plan.adaptedFrom}` : undefined,
      // More than any layer, any work and any chunk of the head takes: room for a node costs some hundred bytes.
      nodesMax: layers * (128 + 2 * (router?.used ?? 0) + 20 * plan.works.length) + plan.wanted.length + 128,
      threads,
      inputs,
      build: (graph, tensors) => {
        const heads = this.build(graph, plan, tensors)
        return { outputs: heads.flatMap(({ ends, logits }) => [...ends, ...(logits ? [logits] : [])]), made: heads }
      },
    })
    return readHeads(made, bytes).slice(0, plan.wanted.length)
  }

  private build(graph: Graph, plan: BatchPlan, tensors: Readonly<Record<string, Tensor>>): HeadOutputs[] {
    const { spec, weights, cache, bias, keepLogits, attending: kernel } = this
    const byWork = kernel === undefined ? declareWorks(graph, spec, plan, cache) : undefined
    const step: Step = { graph, spec, plan, cache, byWork, ...arrangeInputs(tensors, kernel) }
    const size = { from: spec.width, rows: plan.rowsAll, epsilon: spec.normEpsilon }
    let x = this.embed(step)
    for (const [i, layer] of weights.layers.entries()) {
      x = attend(step, layer, i, normColumns(graph, x, layer.attentionNorm, size), x)
      x = feedForward(step, layer, normColumns(graph, x, layer.feedForwardNorm, size), x)
    }
    // Also where nothing is wanted, the last keys and values must have been computed.
    graph.expand(x)
    return listWanted(plan.wanted, this.columnsMin).map((rows, i) => {
      const wanted = tensors[`wanted${i}`]
      assert(wanted !== undefined, 'wanted rows are inputs')
      return predict(graph, weights, { spec, bias, keepLogits, kernel, wanted, rows: rows.length }, x)
    })
  }

  private embed({ graph, inputs: { tokens, masked } }: Step): Tensor {
    const x = graph.rows(this.weights.embedding, tokens)
    const { maskVector } = this.weights
    if (maskVector === undefined || masked === undefined) return x
    return graph.writeRows(x, graph.rows(maskVector, masked.zeros), masked.rows)
  }

  private share(works: readonly Work[], plan: BatchPlan, found: readonly Candidates[]): Candidates[][] {
    let at = 0
    const shared = plan.wantedOf.map((count) => found.slice(at, (at += count)))
    for (const [i, work] of works.entries()) {
      if (shared[i]?.some((row) => row.ids.length === 0) === true) this.spoilt.add(work.lease.id)
    }
    assert(
      found.every((row) => row.ids.length > 0),
      'the model computed something that is no number',
    )
    return shared
  }
}

/** Cells of its lease that a span writes or sees. */
function endOf({ writeAt, tokens, sees }: Span): number {
  const written = writeAt + tokens.length
  return sees === 'causal' ? written : Math.max(written, sees.until, sees.to)
}

function readHeads(heads: readonly HeadOutputs[], bytes: readonly ArrayBuffer[]): Candidates[] {
  const found: Candidates[] = []
  let next = 0
  const take = (): ArrayBuffer => {
    const taken = bytes[next++]
    assert(taken !== undefined, 'every output was read')
    return taken
  }
  for (const { rows, ends, logits } of heads) {
    const candidates = readCandidates(
      ends.map(() => take()),
      rows,
    )
    const all = logits === undefined ? undefined : new Float32Array(take())
    const length = (all?.length ?? 0) / rows
    for (const [row, own] of candidates.entries()) {
      found.push(all === undefined ? own : { ...own, logits: all.slice(row * length, (row + 1) * length) })
    }
  }
  return found
}
