import type { Tensor } from '../ggml/handles.ts'
import type { WorkPlan } from './plan-batch.ts'
import type { Step } from './step.ts'

const FLOAT = 4

/** Keys and values: of one layer in the cache, or of new rows. */
export type Stored = { keys: Tensor; values: Tensor }

/** Every work's rows over its own cells, by ggml's ops: [heads · headWidth, rowsAll] in batch order. */
export function lookByWork(step: Step, stored: Stored, queries: Tensor): Tensor {
  const { graph, spec, plan, byWork: inputs } = step
  if (inputs === undefined) throw new RangeError('the kernel attends')
  const width = spec.heads * spec.headWidth
  const flat = graph.reshape(queries, [width, plan.rowsAll, 1])
  const byWork = inputs.toWork === undefined ? flat : graph.rows(flat, inputs.toWork)
  let looked: Tensor | undefined
  for (const [i, work] of plan.works.entries()) {
    const mask = inputs.masks[i]
    if (mask === undefined) throw new RangeError(`no mask for work ${i}`)
    const heads = lookOne(step, { stored, work, mask }, byWork)
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

type Look = { stored: Stored; work: WorkPlan; mask: Tensor }

/**
 * soft_max(K·q / √headWidth + mask)·V of one work: [headWidth, heads, rows], not contiguous. Query heads of one key
 * head become columns of one product; a single column is doubled, because ggml rounds it differently.
 */
function lookOne({ graph, spec, cache }: Step, { stored, work, mask }: Look, queries: Tensor): Tensor {
  const { heads, kvHeads, headWidth } = spec
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
