import type { Tensor } from '../ggml/handles.ts'
import type { LayerWeights } from './arrange-weights.ts'
import { applyLinear } from './linear.ts'
import type { WorkPlan } from './plan-batch.ts'
import type { Step } from './step.ts'

const FLOAT = 4

/**
 * Attention of one layer: x [width, rowsAll], normed, in batch order → [width, rowsAll]. Keys and values of all rows
 * enter the cache before any row looks at it.
 */
export function attend(step: Step, weights: LayerWeights, layer: number, x: Tensor): Tensor {
  const { graph, spec, plan } = step
  const qkv = applyLinear(graph, { linear: weights.qkv, adapter: weights.adapters?.qkv, rows: plan }, x)
  const queries = rotate(step, split(step, qkv, 0, spec.heads), weights.queryNorm)
  const keys = rotate(step, split(step, qkv, spec.heads, spec.kvHeads), weights.keyNorm)
  remember(step, layer, keys, split(step, qkv, spec.heads + spec.kvHeads, spec.kvHeads))
  const looked = look(step, layer, queries)
  return applyLinear(graph, { linear: weights.attentionOutput, adapter: weights.adapters?.output, rows: plan }, looked)
}

/** Heads [headWidth, heads, rowsAll] out of the fused product. */
function split({ graph, spec, plan }: Step, qkv: Tensor, firstHead: number, heads: number): Tensor {
  const { headWidth } = spec
  const row = (spec.heads + 2 * spec.kvHeads) * headWidth * FLOAT
  return graph.view(qkv, {
    shape: [headWidth, heads, plan.rowsAll],
    strides: [headWidth * FLOAT, row],
    offset: firstHead * headWidth * FLOAT,
  })
}

function rotate({ graph, spec, inputs }: Step, heads: Tensor, norm: Tensor | undefined): Tensor {
  const normed = norm === undefined ? heads : graph.multiply(graph.rmsNorm(heads, spec.normEpsilon), norm)
  return graph.rope(normed, inputs.positions, spec.rope)
}

/** Writes the asked rows' keys and values; a doubled row has no cell. */
function remember({ graph, spec, plan, cache, inputs }: Step, layer: number, keys: Tensor, values: Tensor): void {
  const stored = cache.layers[layer]
  if (stored === undefined) throw new RangeError(`no layer ${layer}`)
  const { width } = cache
  const asked = graph.view(keys, {
    shape: [width, plan.rows, 1],
    strides: [width * FLOAT, width * FLOAT * plan.rows],
    offset: 0,
  })
  graph.expand(graph.writeRows(stored.keys, asked, inputs.keyCells))
  const rowBytes = (spec.heads + 2 * spec.kvHeads) * spec.headWidth * FLOAT
  const askedValues = graph.view(values, {
    shape: [spec.headWidth, spec.kvHeads, plan.rows],
    strides: [spec.headWidth * FLOAT, rowBytes],
    offset: 0,
  })
  const numbers = graph.contiguous(askedValues, [1, width * plan.rows, 1])
  graph.expand(graph.writeRows(graph.reshape(stored.values, [1, width * cache.cells, 1]), numbers, inputs.valueCells))
}

/** Every work's rows over its own cells: [heads · headWidth, rowsAll] in batch order. */
function look(step: Step, layer: number, queries: Tensor): Tensor {
  const { graph, spec, plan, inputs } = step
  const width = spec.heads * spec.headWidth
  const flat = graph.reshape(queries, [width, plan.rowsAll, 1])
  const byWork = inputs.toWork === undefined ? flat : graph.rows(flat, inputs.toWork)
  let looked: Tensor | undefined
  for (const [i, work] of plan.works.entries()) {
    const mask = inputs.masks[i]
    if (mask === undefined) throw new RangeError(`no mask for work ${i}`)
    const heads = lookOne(step, { layer, work, mask }, byWork)
    if (inputs.joined === undefined) {
      looked = graph.contiguous(heads, [width, work.rows, 1])
      continue
    }
    const place = graph.view(inputs.joined, {
      shape: [spec.headWidth, spec.heads, work.rows],
      strides: [spec.headWidth * FLOAT, width * FLOAT],
      offset: work.row * width * FLOAT,
    })
    graph.expand(graph.copy(heads, place))
  }
  looked ??= inputs.joined
  if (looked === undefined) throw new RangeError('a forward without works')
  return inputs.toBatch === undefined ? looked : graph.rows(looked, inputs.toBatch)
}

type Look = { layer: number; work: WorkPlan; mask: Tensor }

/**
 * soft_max(K·q / √headWidth + mask)·V of one work: [headWidth, heads, rows], not contiguous. Query heads of one key
 * head become columns of one product; a single column is doubled, because ggml rounds it differently.
 */
function lookOne({ graph, spec, cache }: Step, { layer, work, mask }: Look, queries: Tensor): Tensor {
  const { heads, kvHeads, headWidth } = spec
  const stored = cache.layers[layer]
  if (stored === undefined) throw new RangeError(`no layer ${layer}`)
  const size = cache.numberBytes
  const columns = (work.maskRows * heads) / kvHeads
  const own = graph.view(queries, {
    shape: [headWidth, heads, work.rows],
    strides: [headWidth * FLOAT, heads * headWidth * FLOAT],
    offset: work.row * heads * headWidth * FLOAT,
  })
  const once = graph.contiguous(graph.swapRowsAndPlanes(own), [headWidth, work.rows, heads])
  const all = work.maskRows === work.rows ? once : graph.repeat(once, [headWidth, work.maskRows, heads])
  const q = graph.reshape(all, [headWidth, columns, kvHeads])
  const k = graph.view(stored.keys, {
    shape: [headWidth, work.cells, kvHeads],
    strides: [cache.width * size, headWidth * size],
    offset: work.start * cache.width * size,
  })
  const scores = graph.reshape(graph.product(k, q), [work.cells, work.maskRows, heads])
  const weights = graph.softMax(scores, mask, 1 / Math.sqrt(headWidth))
  const v = graph.view(stored.values, {
    shape: [work.cells, headWidth, kvHeads],
    strides: [cache.cells * size, headWidth * cache.cells * size],
    offset: work.start * size,
  })
  const sums = graph.product(v, graph.reshape(weights, [work.cells, columns, kvHeads]))
  const asked = graph.view(sums, {
    shape: [headWidth, work.rows, heads],
    strides: [headWidth * FLOAT, headWidth * work.maskRows * FLOAT],
    offset: 0,
  })
  return graph.swapRowsAndPlanes(asked)
}
