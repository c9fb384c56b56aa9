import { type Belief, byPosition, bySureness } from './belief.ts'

/**
 * Draws of one forward do not know one another, so two sure neighbours may both be the same next word ("the the").
 * Of neighbours with the same token only the surest stays; the other is drawn again when it can see it.
 * End tokens are exempt: they pad. Never empties a list that was not empty.
 */
export function deferEqualNeighbours(chosen: readonly Belief[], endTokens: ReadonlySet<number>): Belief[] {
  const kept = new Map<number, Belief>()
  for (const belief of chosen.toSorted(bySureness)) {
    const twin =
      kept.get(belief.position - 1)?.token === belief.token || kept.get(belief.position + 1)?.token === belief.token
    if (!twin || endTokens.has(belief.token)) kept.set(belief.position, belief)
  }
  return [...kept.values()].sort(byPosition)
}

/**
 * An end of turn is only kept where nothing before it is still open: `open` tells whether a position below it will stay masked.
 * `firstOpen` is the first position of the window; `known` the ones set before this step.
 */
export function dropEarlyEnds(
  chosen: readonly Belief[],
  endTokens: ReadonlySet<number>,
  firstOpen: number,
  known: ReadonlySet<number>,
): Belief[] {
  let reach = firstOpen
  return chosen.toSorted(byPosition).filter((belief) => {
    while (reach < belief.position && known.has(reach)) reach++
    const whole = reach >= belief.position
    if (whole) reach = belief.position + 1
    return whole || !endTokens.has(belief.token)
  })
}
