import { attendByKernel } from '../ggml/attend-op.ts'
import type { Tensor } from '../ggml/handles.ts'
import type { LayerWeights } from './arrange-weights.ts'
import { applyLinear } from './linear.ts'
import { lookByWork, type Stored } from './look-by-work.ts'
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
  const values = split(step, qkv, spec.heads + spec.kvHeads, spec.kvHeads)
  const stored = remember(step, layer, { keys, values })
  const looked = step.attending === undefined ? lookByWork(step, stored, queries) : lookAtOnce(step, stored, queries)
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

/** Writes the asked rows' keys and values; a doubled row has no cell. Returns them as the chosen way of looking wants them. */
function remember({ graph, spec, plan, cache, inputs, attending }: Step, layer: number, own: Stored): Stored {
  const stored = cache.layers[layer]
  if (stored === undefined) throw new RangeError(`no layer ${layer}`)
  const { width } = cache
  const size = width * plan.rows
  const rows = (of: Tensor, stride: number) =>
    graph.view(of, { shape: [width, plan.rows, 1], strides: [stride, stride * plan.rows], offset: 0 })
  const keys = rows(own.keys, width * FLOAT)
  const values = rows(own.values, (spec.heads + 2 * spec.kvHeads) * spec.headWidth * FLOAT)
  const features = graph.reshape(stored.byFeature, [1, width * cache.cells, 1])
  const [byCell, byFeature] = attending === undefined ? [keys, values] : [values, keys]
  graph.expand(graph.writeRows(stored.byCell, byCell, inputs.cells))
  graph.expand(graph.writeRows(features, graph.contiguous(byFeature, [1, size, 1]), inputs.features))
  return attending === undefined
    ? { keys: stored.byCell, values: stored.byFeature }
    : { keys: stored.byFeature, values: stored.byCell }
}

/** All rows in one op. */
function lookAtOnce({ graph, spec, plan, inputs, attending }: Step, { keys, values }: Stored, queries: Tensor): Tensor {
  const { places } = inputs
  if (attending === undefined || places === undefined) throw new Error('no kernel attends')
  const size = { width: spec.heads * spec.headWidth, rows: plan.rowsAll }
  return attendByKernel(graph, attending, { queries, keys, values, places }, size)
}
