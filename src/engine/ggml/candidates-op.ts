import type { Graph } from './graph.ts'
import type { Tensor } from './handles.ts'
import type { Kernel } from './kernel.ts'

/** Logits of a row are a multiple of this, and candidates at most so many. */
export const CANDIDATES_STEP = 16
export const CANDIDATES_MAX = 64

/**
 * The k likeliest of each row of soft_max(logits + bias): [2k, rows], k ids (I32) and then their probabilities (F32), in no order.
 * logits [n, rows], bias [n]; of equal ones the lower id. A row that holds something other than a number has no probabilities.
 */
export function candidatesByKernel(
  graph: Graph,
  kernel: Kernel,
  { logits, bias }: { logits: Tensor; bias: Tensor },
  { k, rows }: { k: number; rows: number },
): Tensor {
  const sources = [logits, bias]
  return graph.custom({ call: kernel.ops.candidates, number: 0, sources, type: 'F32', shape: [2 * k, rows, 1] })
}
