import type { Graph } from '../ggml/graph.ts'
import type { Tensor } from '../ggml/handles.ts'
import { multiplyChosen, quantise, type Quantised } from '../ggml/packed-product.ts'
import type { LayerWeights } from './arrange-weights.ts'
import { applyLinear, type Matrix } from './linear.ts'
import type { Router } from './spec.ts'
import type { Step } from './step.ts'

const FLOAT = 4

/** x [width, rowsAll], normed → [width, rowsAll]: the dense part, the routed experts, or the sum of both. */
export function feedForward(step: Step, weights: LayerWeights, x: Tensor): Tensor {
  const { graph, spec } = step
  const dense = weights.dense === undefined ? undefined : feedDense(step, weights, weights.dense, x)
  if (weights.experts === undefined || spec.router === undefined) return dense ?? x
  const routed = feedExperts(step, weights.experts, spec.router, x)
  return dense === undefined ? routed : graph.add(dense, routed)
}

function feedDense(
  { graph, plan }: Step,
  { adapters }: LayerWeights,
  { gateUp, down }: NonNullable<LayerWeights['dense']>,
  x: Tensor,
): Tensor {
  const hidden = graph.swiglu(applyLinear(graph, { linear: gateUp, adapter: adapters?.gateUp, rows: plan }, x))
  return applyLinear(graph, { linear: down, adapter: adapters?.down, rows: plan }, hidden)
}

/** Each row by its `used` likeliest experts, weighted by the router's probabilities over all of them (LLaDA-MoE). */
function feedExperts(
  { graph, spec, plan }: Step,
  { router, gate, up, down }: NonNullable<LayerWeights['experts']>,
  { experts, used, width: expertWidth, renormalise, scale }: Router,
  x: Tensor,
): Tensor {
  const rows = plan.rowsAll
  const { width } = spec
  const likely = graph.softMax(graph.product(router, x), null, 1)
  const chosen = graph.topK(likely, used)
  const parts = graph.rows(graph.reshape(likely, [1, experts, rows]), chosen)
  const shares = weigh(parts)
  const by = (matrix: Matrix, columns: Columns) => multiplyBy(graph, matrix, columns, { ids: chosen, used, rows })
  const columns = { x, from: width, each: 1 }
  const hidden = graph.swigluOf(by(gate, columns), by(up, columns))
  const results = graph.multiply(
    by(down, { x: hidden, from: expertWidth, each: used }),
    graph.reshape(shares, [1, used, rows]),
  )
  const row = width * FLOAT
  const one = (expert: number) =>
    graph.view(results, { shape: [width, rows, 1], strides: [row * used, row * used * rows], offset: row * expert })
  let sum = one(0)
  for (let expert = 1; expert < used; expert++) sum = graph.add(sum, one(expert))
  return used === 1 ? graph.contiguous(sum, [width, rows, 1]) : sum

  function weigh(probabilities: Tensor): Tensor {
    const flat = graph.reshape(probabilities, [used, rows, 1])
    const normal = renormalise ? graph.divide(flat, graph.sumRows(flat)) : flat
    return scale === 1 ? normal : graph.scale(normal, scale)
  }
}

/** x [from, each · rows], and in 8 bits once a packed matrix wants it: a column for each row, or for each row and expert. */
type Columns = { x: Tensor; from: number; each: number; quantised?: Quantised }

/** [to, used, rows]: each row of x by the matrices that ids name. */
function multiplyBy(
  graph: Graph,
  matrix: Matrix,
  columns: Columns,
  chosen: { ids: Tensor; used: number; rows: number },
): Tensor {
  const { x, from, each } = columns
  if (matrix.packed === undefined) {
    return graph.productOf(matrix.weights, graph.reshape(x, [from, each, chosen.rows]), chosen.ids)
  }
  const size = { from, columns: each * chosen.rows }
  columns.quantised ??= quantise(graph, matrix.packed.kernel, graph.reshape(x, [from, size.columns, 1]), size)
  return multiplyChosen(graph, matrix.packed, columns.quantised, chosen)
}
