import type { Belief } from './belief.ts'

/** One at a time, from the left. On a causal-context model no window is computed at all. */
export function chooseLeftmost(beliefs: readonly Belief[]): Belief[] {
  return beliefs.slice(0, 1)
}
