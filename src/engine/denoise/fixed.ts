import { type Belief, byPosition, bySureness, type Dial } from './belief.ts'

/**
 * LLaDA's schedule: a block of m masks takes ⌈m / perStep⌉ steps, each ⌊m / steps⌋ positions, the first m mod steps of them
 * one more; the surest are taken ("low confidence remasking", LLaDA `generate.py`).
 */
export function chooseFixed(beliefs: readonly Belief[], dial: Dial): Belief[] {
  const steps = Math.max(1, Math.ceil(dial.masksAtStart / dial.perStep))
  const extra = dial.step < dial.masksAtStart % steps ? 1 : 0
  const count = Math.max(1, Math.floor(dial.masksAtStart / steps) + extra)
  return beliefs.toSorted(bySureness).slice(0, count).sort(byPosition)
}
