/** What one forward says of one masked position. */
export type Belief = {
  /** Absolute, in tokens. */
  position: number
  /** The token drawn there. */
  token: number
  /** Untempered probability of that token. */
  confidence: number
  /** Of the whole distribution, in nats. */
  entropy: number
}

/** Where in its block a step stands, and the dials of the rule. */
export type Dial = {
  threshold: number
  perStep: number
  /** Masks when the block began. */
  masksAtStart: number
  /** Steps of this block that are done. */
  step: number
}

/**
 * Which of the masked positions become final in this step. Beliefs come by rising position and so do the chosen.
 * At least one of a non-empty list is chosen, unless the rule only drafts (`verified`).
 */
export type Choose = (beliefs: readonly Belief[], dial: Dial) => Belief[]

/** Total order of confidence: the surest first, then the leftmost. */
export function bySureness(a: Belief, b: Belief): number {
  return b.confidence - a.confidence || a.position - b.position
}

export function byPosition(a: Belief, b: Belief): number {
  return a.position - b.position
}
