import { type Belief, bySureness, type Dial } from './belief.ts'

/** Every position whose draw is at least τ sure (Fast-dLLM, section 3.2). */
export function chooseByThreshold(beliefs: readonly Belief[], dial: Dial): Belief[] {
  const sure = beliefs.filter((belief) => belief.confidence >= dial.threshold)
  // Nothing is sure: take the best one, or a block could stay masked for ever.
  return sure.length > 0 ? sure : beliefs.toSorted(bySureness).slice(0, 1)
}
