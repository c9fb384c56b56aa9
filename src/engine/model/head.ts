import type { Graph } from '../ggml/graph.ts'
import type { Tensor } from '../ggml/handles.ts'
import type { Candidates } from './forward.ts'
import type { Weights } from './arrange-weights.ts'
import { multiplyLinear } from './linear.ts'
import type { ModelSpec } from './spec.ts'

/** As many candidates as ever leave the graph: sampling is exact inside them. */
const CANDIDATES_MAX = 64
/** Rows of one product: a wide vocabulary's logits take room, and the next chunk takes the same room again. */
const CHUNK_ROWS = 64

/** The graph's ends for some wanted rows, and some more where they are too few: [k, rows], [1, k, rows], [vocabulary, rows]. */
export type HeadOutputs = {
  asked: number
  rows: number
  ids: Tensor
  probabilities: Tensor
  logits: Tensor | undefined
}

type HeadWeights = Pick<Weights, 'head' | 'outputNorm'>
type HeadOptions = {
  spec: ModelSpec
  wanted: readonly number[]
  columnsMin: number
  bias: Tensor
  keepLogits: boolean
}

/** Probabilities and candidates of the wanted batch rows of x [width, rows]; `bias` is -Infinity at banned tokens. */
export function predict(
  graph: Graph,
  { head, outputNorm }: HeadWeights,
  { spec, wanted, columnsMin, bias, keepLogits }: HeadOptions,
  x: Tensor,
): HeadOutputs[] {
  const outputs: HeadOutputs[] = []
  const k = Math.min(CANDIDATES_MAX, spec.vocabulary)
  for (let from = 0; from < wanted.length; from += CHUNK_ROWS) {
    const asked = wanted.slice(from, from + CHUNK_ROWS)
    const rows = new Int32Array(Math.max(asked.length, columnsMin)).fill(asked[0] ?? 0)
    rows.set(asked)
    const own = graph.rows(x, graph.input('I32', [rows.length], rows))
    const normed = graph.multiply(graph.rmsNorm(own, spec.normEpsilon), outputNorm)
    const logits = graph.add(multiplyLinear(graph, head, normed, rows.length), bias)
    const likely = graph.softMax(logits, null, 1)
    const ids = graph.topK(likely, k)
    const probabilities = graph.rows(graph.reshape(likely, [1, spec.vocabulary, rows.length]), ids)
    outputs.push({
      asked: asked.length,
      rows: rows.length,
      ids,
      probabilities,
      logits: keepLogits ? logits : undefined,
    })
  }
  return outputs
}

/** The candidates of row `row`, by falling probability, ties by rising id; those of no probability are left out. */
export function readCandidates(ids: Int32Array, probabilities: Float32Array, row: number, rows: number): Candidates {
  const k = ids.length / rows
  const order = Array.from({ length: k }, (_, i) => row * k + i)
    .filter((i) => (probabilities[i] ?? 0) > 0)
    .sort((a, b) => (probabilities[b] ?? 0) - (probabilities[a] ?? 0) || (ids[a] ?? 0) - (ids[b] ?? 0))
  return {
    ids: Int32Array.from(order, (i) => ids[i] ?? 0),
    probabilities: Float32Array.from(order, (i) => probabilities[i] ?? 0),
  }
}
