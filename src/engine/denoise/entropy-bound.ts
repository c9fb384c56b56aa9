import { type Belief, byPosition, bySureness, type Dial } from './belief.ts'

/**
 * The EB sampler: surest first, the longest beginning whose summed entropy without its largest one is at most γ nats
 * (γ is the dial's threshold). That sum bounds what parallel draws lose against one at a time.
 */
export function chooseByEntropy(beliefs: readonly Belief[], dial: Dial): Belief[] {
  const best = beliefs.toSorted(bySureness)
  let sum = 0
  let largest = 0
  // The first one's bound is 0, so one is always taken: it counts even where γ is 0 and rounding says otherwise.
  const end = best.findIndex((belief, i) => {
    sum += belief.entropy
    largest = Math.max(largest, belief.entropy)
    return i > 0 && sum - largest > dial.threshold
  })
  return (end === -1 ? best : best.slice(0, end)).sort(byPosition)
}
