import type { Graph } from '../ggml/graph.ts'
import type { Tensor } from '../ggml/handles.ts'
import { multiplyChosen, swigluQuantise } from '../ggml/packed-product.ts'
import type { LayerWeights } from './arrange-weights.ts'
import { applyLinear, Columns, type Matrix } from './linear.ts'
import type { Router } from './spec.ts'
import type { Step } from './step.ts'

const FLOAT = 4

/** x [width, rowsAll], normed → [width, rowsAll]: the dense part, the routed experts, or both, added to `start`. */
export function feedForward(step: Step, weights: LayerWeights, x: Columns, start: Tensor): Tensor {
  const { graph, spec } = step
  const { dense, experts } = weights
  const routed =
    experts === undefined || spec.router === undefined ? undefined : feedExperts(step, experts, spec.router, x)
  const rest = dense === undefined ? start : feedDense(step, weights, { ...dense, x, start })
  return routed === undefined ? rest : graph.add(rest, routed)
}

type Dense = NonNullable<LayerWeights['dense']> & { x: Columns; start: Tensor }

function feedDense({ graph, plan }: Step, { adapters }: LayerWeights, { gateUp, down, x, start }: Dense): Tensor {
  const both = applyLinear(graph, { linear: gateUp, adapter: adapters?.gateUp, rows: plan }, x)
  const size = { from: down.from, rows: plan.rowsAll }
  const hidden = new Columns(graph, size, {
    plain: () => graph.swiglu(both),
    rounded: (kernel) => swigluQuantise(graph, kernel, both, { from: size.from, columns: size.rows }),
  })
  return applyLinear(graph, { linear: down, adapter: adapters?.down, rows: plan, start }, hidden)
}

/** Each row by its `used` likeliest experts, weighted by the router's probabilities over all of them (LLaDA-MoE). */
function feedExperts(
  { graph, spec, plan }: Step,
  { router, gate, up, down }: NonNullable<LayerWeights['experts']>,
  { experts, used, width: expertWidth, renormalise, scale }: Router,
  x: Columns,
): Tensor {
  const rows = plan.rowsAll
  const { width } = spec
  const likely = graph.softMax(graph.product(router, x.plain()), null, 1)
  const chosen = graph.topK(likely, used)
  const parts = graph.rows(graph.reshape(likely, [1, experts, rows]), chosen)
  const shares = weigh(parts)
  const by = (matrix: Matrix, columns: Columns) => multiplyBy(graph, matrix, columns, { ids: chosen, used, rows })
  const gated = graph.swigluOf(by(gate, x), by(up, x))
  const size = { from: expertWidth, rows: used * rows }
  const hidden = new Columns(graph, size, { plain: () => graph.reshape(gated, [size.from, size.rows, 1]) })
  const results = graph.multiply(by(down, hidden), graph.reshape(shares, [1, used, rows]))
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

/** [to, used, rows]: each row by the matrices that ids name; x has a column for each row, or for each row and matrix. */
function multiplyBy(
  graph: Graph,
  matrix: Matrix,
  x: Columns,
  chosen: { ids: Tensor; used: number; rows: number },
): Tensor {
  if (matrix.packed !== undefined) {
    return multiplyChosen(graph, matrix.packed, x.rounded(matrix.packed.kernel), chosen)
  }
  return graph.productOf(
    matrix.weights,
    graph.reshape(x.plain(), [x.from, x.rows / chosen.rows, chosen.rows]),
    chosen.ids,
  )
}
