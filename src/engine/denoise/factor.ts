import { type Belief, byPosition, bySureness } from './belief.ts'

/** Commit the n best where c(n) ≥ 1 − FACTOR / (n + 1): parallel argmax then equals one-at-a-time greedy (Fast-dLLM, theorem 1). */
const FACTOR = 1

export function chooseByFactor(beliefs: readonly Belief[]): Belief[] {
  const best = beliefs.toSorted(bySureness)
  const n = best.findLastIndex((belief, i) => belief.confidence >= 1 - FACTOR / (i + 2)) + 1
  return best.slice(0, Math.max(n, 1)).sort(byPosition)
}
