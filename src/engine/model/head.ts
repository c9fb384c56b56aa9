import { CANDIDATES_MAX, CANDIDATES_STEP, candidatesByKernel } from '../ggml/candidates-op.ts'
import type { Graph } from '../ggml/graph.ts'
import type { Tensor } from '../ggml/handles.ts'
import type { Kernel } from '../ggml/kernel.ts'
import type { Candidates } from './forward.ts'
import type { Weights } from './arrange-weights.ts'
import { multiplyLinear, normColumns } from './linear.ts'
import type { ModelSpec } from './spec.ts'

/** Rows of one product: a wide vocabulary's logits take room, and the next chunk takes the same room again. */
const CHUNK_ROWS = 64

/** The graph's ends for some wanted rows; `logits` [vocabulary, rows]. */
export type HeadOutputs = {
  rows: number
  /** [k, rows] and [1, k, rows]; or, by the kernel, the ids of each row and then its probabilities. */
  ends: [ids: Tensor, probabilities: Tensor] | [both: Tensor]
  logits: Tensor | undefined
}

type HeadWeights = Pick<Weights, 'head' | 'outputNorm'>
type HeadOptions = {
  spec: ModelSpec
  /** I32 [rows]: a part of `listWanted`. */
  wanted: Tensor
  rows: number
  bias: Tensor
  keepLogits: boolean
  /** Finds the candidates; ggml does where it is undefined. */
  kernel: Kernel | undefined
}

/** Wanted batch rows in parts, one product each; the last one's first again and again where they would be too few. */
export function listWanted(wanted: readonly number[], columnsMin: number): Int32Array[] {
  const parts: Int32Array[] = []
  for (let from = 0; from < wanted.length; from += CHUNK_ROWS) {
    const asked = wanted.slice(from, from + CHUNK_ROWS)
    const rows = new Int32Array(Math.max(asked.length, columnsMin)).fill(asked[0] ?? 0)
    rows.set(asked)
    parts.push(rows)
  }
  return parts
}

/** Probabilities and candidates of the wanted batch rows of x [width, rows]; `bias` is -Infinity at banned tokens. */
export function predict(
  graph: Graph,
  { head, outputNorm }: HeadWeights,
  { spec, wanted, rows, bias, keepLogits, kernel }: HeadOptions,
  x: Tensor,
): HeadOutputs {
  const k = Math.min(CANDIDATES_MAX, spec.vocabulary)
  const size = { from: spec.width, rows, epsilon: spec.normEpsilon }
  const logits = multiplyLinear(graph, head, normColumns(graph, graph.rows(x, wanted), outputNorm, size))
  const biased = kernel === undefined || keepLogits ? graph.add(logits, bias) : undefined
  const ends: HeadOutputs['ends'] =
    kernel !== undefined && spec.vocabulary % CANDIDATES_STEP === 0
      ? [candidatesByKernel(graph, kernel, { logits, bias }, { k, rows })]
      : candidatesByGgml(graph, biased ?? graph.add(logits, bias), { k, rows, vocabulary: spec.vocabulary })
  return { rows, ends, logits: keepLogits ? biased : undefined }
}

function candidatesByGgml(
  graph: Graph,
  logits: Tensor,
  { k, rows, vocabulary }: { k: number; rows: number; vocabulary: number },
): [ids: Tensor, probabilities: Tensor] {
  const likely = graph.softMax(logits, null, 1)
  const ids = graph.topK(likely, k)
  return [ids, graph.rows(graph.reshape(likely, [1, vocabulary, rows]), ids)]
}

/** The bytes of the ends of `rows` rows as lists of candidates, one for each row. */
export function readCandidates(ends: readonly ArrayBuffer[], rows: number): Candidates[] {
  const [first = new ArrayBuffer(0), second] = ends
  const [words, numbers] = [new Int32Array(first), new Float32Array(second ?? first)]
  const own = words.length / rows
  const k = second === undefined ? own / 2 : own
  return Array.from({ length: rows }, (_, row) => {
    const ids = words.subarray(row * own, row * own + k)
    const probabilities = numbers.subarray((row + 1) * own - k, (row + 1) * own)
    return sortCandidates(ids, probabilities)
  })
}

/** By falling probability, ties by rising id; those of no probability are left out. */
function sortCandidates(ids: Int32Array, probabilities: Float32Array): Candidates {
  const order = Array.from(ids.keys())
    .filter((i) => (probabilities[i] ?? 0) > 0)
    .sort((a, b) => (probabilities[b] ?? 0) - (probabilities[a] ?? 0) || (ids[a] ?? 0) - (ids[b] ?? 0))
  return {
    ids: Int32Array.from(order, (i) => ids[i] ?? 0),
    probabilities: Float32Array.from(order, (i) => probabilities[i] ?? 0),
  }
}
