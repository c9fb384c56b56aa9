import type { Belief, Dial } from './belief.ts'

/**
 * The run from the left that is worth checking: up to the first draw below τ. Nothing of it is final: the next forward's
 * causal rows draw the same places again, and only what they confirm is ever shown.
 */
export function chooseRun(beliefs: readonly Belief[], dial: Dial): Belief[] {
  const end = beliefs.findIndex((belief) => belief.confidence < dial.threshold)
  return end === -1 ? [...beliefs] : beliefs.slice(0, end)
}
