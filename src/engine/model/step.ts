import type { Graph } from '../ggml/graph.ts'
import type { Tensor } from '../ggml/handles.ts'
import type { Kernel } from '../ggml/kernel.ts'
import type { InputData, Inputs } from '../ggml/workspace.ts'
import type { KvCache } from './kv-cache.ts'
import type { BatchPlan } from './plan-batch.ts'
import type { ModelSpec } from './spec.ts'

/** One forward while its graph is built: what every layer needs. */
export type Step = {
  graph: Graph
  spec: ModelSpec
  plan: BatchPlan
  cache: KvCache
  inputs: CommonInputs
  /** How rows attend: all at once by the kernel, or work by work by ggml. */
  attending: Attending | undefined
  byWork: WorkInputs | undefined
}

type CommonInputs = {
  /** I32 [rowsAll] */
  tokens: Tensor
  positions: Tensor
  /** I32 [rows]: the cell of each asked row. */
  cells: Tensor
  /** I32: batch rows that take the learnt mask vector, and as many zeros; undefined where none does. */
  masked: { rows: Tensor; zeros: Tensor } | undefined
}

/** The kernel, and what it needs for all layers. */
export type Attending = {
  kernel: Kernel
  /** F32 [dimensions, rowsAll]: cosines, then sines. */
  angles: Tensor
  /** I32 [4, rowsAll] */
  places: Tensor
}

type WorkInputs = {
  /** I32 [rows · cache width]: the places of its numbers where they lie by feature. */
  features: Tensor
  /** F32 [cells, maskRows] for each work. */
  masks: Tensor[]
  toWork: Tensor | undefined
  toBatch: Tensor | undefined
  /** F32 [heads · headWidth, rows]: where works leave their results side by side; undefined for a single work. */
  joined: Tensor | undefined
}

/** What the plan says, as inputs of a graph. */
export function listInputs(plan: BatchPlan): Inputs {
  const always = { tokens: index(plan.tokens), positions: index(plan.positions), cells: index(plan.cells) }
  const [first] = plan.maskedRows
  if (first === undefined) return always
  // One for each row with adapters, the first again and again: graphs are kept by the shapes of their inputs.
  const rows = new Int32Array(plan.rowsAll - plan.adaptedFrom).fill(first)
  rows.set(plan.maskedRows)
  return { ...always, maskedRows: index(rows), maskedZeros: index(new Int32Array(rows.length)) }
}

/** What the kernel needs to attend, as inputs of a graph. */
export function listAttending(plan: BatchPlan, { rope }: ModelSpec): Inputs {
  return {
    angles: { type: 'F32', shape: [rope.dimensions, plan.rowsAll], data: listAngles(plan.positions, rope) },
    places: { type: 'I32', shape: [4, plan.rowsAll], data: plan.places },
  }
}

/** The tensors of `listInputs` and, where there is a kernel, `listAttending`. */
export function arrangeInputs(tensors: Readonly<Record<string, Tensor>>, kernel: Kernel | undefined) {
  const { tokens, positions, cells, maskedRows, maskedZeros, angles, places } = tensors
  if (tokens === undefined || positions === undefined || cells === undefined) throw new RangeError('no inputs')
  const masked = maskedRows && maskedZeros && { rows: maskedRows, zeros: maskedZeros }
  const attending = kernel && angles && places && { kernel, angles, places }
  return { inputs: { tokens, positions, cells, masked }, attending }
}

export function index(data: Int32Array): InputData {
  return { type: 'I32', shape: [data.length], data }
}

/** Declares what ggml needs to attend work by work. */
export function declareWorks(graph: Graph, spec: ModelSpec, plan: BatchPlan, cache: KvCache): WorkInputs {
  const order = (data: Int32Array) => graph.input('I32', [data.length], data)
  return {
    features: order(placeFeatures(plan.cells, cache)),
    masks: plan.works.map(({ mask, cells, maskRows }) => graph.input('F32', [cells, maskRows], mask)),
    toWork: plan.toWork === undefined ? undefined : order(plan.toWork),
    toBatch: plan.toBatch === undefined ? undefined : order(plan.toBatch),
    joined: plan.works.length > 1 ? graph.scratch('F32', [spec.heads * spec.headWidth, plan.rows]) : undefined,
  }
}

/** Cosines, then sines, of each position's rotations (RoFormer, section 3.4.2). */
function listAngles(positions: Int32Array, { dimensions, theta }: ModelSpec['rope']): Float32Array {
  const pairs = dimensions / 2
  const speeds = Float64Array.from({ length: pairs }, (_, pair) => theta ** (-pair / pairs))
  const angles = new Float32Array(dimensions * positions.length)
  for (const [row, position] of positions.entries()) {
    for (let pair = 0; pair < pairs; pair++) {
      const angle = position * (speeds[pair] ?? 0)
      angles[row * dimensions + pair] = Math.cos(angle)
      angles[row * dimensions + pairs + pair] = Math.sin(angle)
    }
  }
  return angles
}

/** Of each row the places of all its features. */
function placeFeatures(cells: Int32Array, cache: KvCache): Int32Array {
  const { width } = cache
  const places = new Int32Array(cells.length * width)
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row] ?? 0
    for (let feature = 0; feature < width; feature++) places[row * width + feature] = feature * cache.cells + cell
  }
  return places
}
