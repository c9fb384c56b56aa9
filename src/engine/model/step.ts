import type { Graph } from '../ggml/graph.ts'
import type { Tensor } from '../ggml/handles.ts'
import type { Kernel } from '../ggml/kernel.ts'
import type { KvCache } from './kv-cache.ts'
import type { BatchPlan } from './plan-batch.ts'
import type { ModelSpec } from './spec.ts'

/** One forward while its graph is built: what every layer needs. */
export type Step = {
  graph: Graph
  spec: ModelSpec
  plan: BatchPlan
  /** Attends for all rows at once; undefined where ggml does, work by work. */
  attending: Kernel | undefined
  cache: KvCache
  inputs: {
    /** I32 [rowsAll] */
    positions: Tensor
    /** I32 [rows]: the cell of each asked row. */
    cells: Tensor
    /** I32 [rows · cache width]: the places of its numbers where they lie by feature. */
    features: Tensor
    /** I32 [4, rowsAll]; undefined where works attend one by one. */
    places: Tensor | undefined
    /** F32 [cells, maskRows] for each work. */
    masks: Tensor[]
    toWork: Tensor | undefined
    toBatch: Tensor | undefined
    /** F32 [heads · headWidth, rows]: where works leave their results side by side; undefined for a single work. */
    joined: Tensor | undefined
  }
}

/** Declares what the plan says as inputs of the graph. */
export function declareInputs(graph: Graph, spec: ModelSpec, plan: BatchPlan, cache: KvCache): Step['inputs'] {
  const index = (data: Int32Array) => graph.input('I32', [data.length], data)
  const queries = spec.heads * spec.headWidth
  return {
    positions: index(plan.positions),
    cells: index(plan.cells),
    features: index(placeFeatures(plan.cells, cache)),
    places: plan.works.length > 0 ? undefined : graph.input('I32', [4, plan.rowsAll], plan.places),
    masks: plan.works.map(({ mask, cells, maskRows }) => graph.input('F32', [cells, maskRows], mask)),
    toWork: plan.toWork === undefined ? undefined : index(plan.toWork),
    toBatch: plan.toBatch === undefined ? undefined : index(plan.toBatch),
    joined: plan.works.length > 1 ? graph.scratch('F32', [queries, plan.rows]) : undefined,
  }
}

/** Of each row the places of all its features. */
function placeFeatures(cells: Int32Array, cache: KvCache): Int32Array {
  const { width } = cache
  const places = new Int32Array(cells.length * width)
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row] ?? 0
    for (let feature = 0; feature < width; feature++) places[row * width + feature] = cache.featurePlace(cell, feature)
  }
  return places
}
