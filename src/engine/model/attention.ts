import { attendByKernel, attendQuantised, rememberByKernel } from '../ggml/attend-op.ts'
import type { Tensor } from '../ggml/handles.ts'
import { QUANTISED_BLOCK } from '../ggml/packed-product.ts'
import type { LayerWeights } from './arrange-weights.ts'
import type { CacheLayer } from './kv-cache.ts'
import { applyLinear, Columns } from './linear.ts'
import { lookByWork, type Stored } from './look-by-work.ts'
import type { Attending, Step } from './step.ts'

const FLOAT = 4

/**
 * Attention of one layer: x [width, rowsAll], normed, in batch order → [width, rowsAll], added to `start`. Keys and values of all rows
 * enter the cache before any row looks at it.
 */
export function attend(step: Step, weights: LayerWeights, layer: number, x: Columns, start: Tensor): Tensor {
  const { graph, spec, plan } = step
  const stored = step.cache.layers[layer]
  if (stored === undefined) throw new RangeError(`no layer ${layer}`)
  const qkv = applyLinear(graph, { linear: weights.qkv, adapter: weights.adapters?.qkv, rows: plan }, x)
  const size = { from: spec.heads * spec.headWidth, rows: plan.rowsAll }
  const looked =
    step.attending === undefined
      ? new Columns(graph, size, { plain: () => lookWithoutKernel(step, weights, stored, qkv) })
      : lookAtOnce(step, step.attending, weights, stored, qkv)
  const output = { linear: weights.attentionOutput, adapter: weights.adapters?.output, rows: plan, start }
  return applyLinear(graph, output, looked)
}

/** All rows in one op. */
function lookAtOnce(
  step: Step,
  { kernel, angles, places }: Attending,
  weights: LayerWeights,
  stored: CacheLayer,
  qkv: Tensor,
): Columns {
  const { graph, spec, plan, inputs } = step
  const { headWidth, heads, rope } = spec
  const { queryNorm, keyNorm } = weights
  const norms = queryNorm && keyNorm && { query: queryNorm, key: keyNorm, epsilon: spec.normEpsilon }
  const [keys, values] = [stored.byFeature, stored.byCell]
  const queries = rememberByKernel(
    graph,
    kernel,
    { qkv, angles, cells: inputs.cells, keys, values, norms },
    { headWidth, heads, rows: plan.rowsAll, dimensions: rope.dimensions, halves: rope.style === 'halves' },
  )
  const attention = { queries, keys, values, places }
  const size = { width: heads * headWidth, rows: plan.rowsAll }
  const plain = () => attendByKernel(graph, kernel, attention, size)
  const rounded = () => attendQuantised(graph, kernel, attention, size)
  return new Columns(
    graph,
    { from: size.width, rows: size.rows },
    headWidth % QUANTISED_BLOCK === 0 ? { plain, rounded } : { plain },
  )
}

/** By ggml's ops, work by work. */
function lookWithoutKernel(step: Step, weights: LayerWeights, stored: CacheLayer, qkv: Tensor): Tensor {
  const { spec } = step
  const queries = rotate(step, split(step, qkv, 0, spec.heads), weights.queryNorm)
  const keys = rotate(step, split(step, qkv, spec.heads, spec.kvHeads), weights.keyNorm)
  const values = split(step, qkv, spec.heads + spec.kvHeads, spec.kvHeads)
  remember(step, stored, { keys, values })
  return lookByWork(step, { keys: stored.byCell, values: stored.byFeature }, queries)
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
function remember(
  { graph, spec, plan, cache, inputs, byWork }: Step,
  { byCell, byFeature }: CacheLayer,
  own: Stored,
): void {
  const { width } = cache
  const size = width * plan.rows
  const rows = (of: Tensor, stride: number) =>
    graph.view(of, { shape: [width, plan.rows, 1], strides: [stride, stride * plan.rows], offset: 0 })
  const keys = rows(own.keys, width * FLOAT)
  const values = rows(own.values, (spec.heads + 2 * spec.kvHeads) * spec.headWidth * FLOAT)
  const features = graph.reshape(byFeature, [1, width * cache.cells, 1])
  if (byWork === undefined) throw new RangeError('the kernel attends')
  graph.expand(graph.writeRows(byCell, keys, inputs.cells))
  graph.expand(graph.writeRows(features, graph.contiguous(values, [1, size, 1]), byWork.features))
}
