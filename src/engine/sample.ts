import type { Candidates } from './model/forward.ts'
import { gumbel } from './noise.ts'

/** How a token is drawn. `temperature` 0 is greedy; `topP` in (0, 1]; `seed` any safe integer. */
export type Sampling = { temperature: number; topP: number; seed: number }

export type Draw = { token: number; confidence: number; entropy: number }

/**
 * Draws the token at an absolute position from the (at most 64) likeliest ones: tempered probabilities, then the nucleus,
 * then Gumbel-max. `confidence` is the drawn token's untempered probability, so a rule's τ means the same at any temperature.
 */
export function drawToken(candidates: Candidates, position: number, sampling: Sampling): Draw {
  const chosen = sampling.temperature === 0 ? 0 : drawIndex(candidates, position, sampling)
  const token = candidates.ids[chosen]
  if (token === undefined) throw new Error(`position ${position} has no candidate at all`)
  return { token, confidence: candidates.probabilities[chosen] ?? 0, entropy: entropyOf(candidates.probabilities) }
}

/** Index of the draw. Candidates come by falling probability, so the nucleus is a beginning of the list. */
function drawIndex(candidates: Candidates, position: number, { temperature, topP, seed }: Sampling): number {
  const { ids, probabilities } = candidates
  const size = nucleusSize(probabilities, temperature, topP)
  let best = 0
  let bestScore = -Infinity
  for (let i = 0; i < size; i++) {
    const score = Math.log(probabilities[i] ?? 0) / temperature + gumbel(seed, position, ids[i] ?? 0)
    if (score > bestScore) {
      best = i
      bestScore = score
    }
  }
  return best
}

/** Size of the smallest set of likeliest candidates whose tempered mass (of all candidates = 1) reaches `topP`. */
function nucleusSize(probabilities: Float32Array, temperature: number, topP: number): number {
  const top = Math.log(probabilities[0] ?? 1)
  const weights = Array.from(probabilities, (p) => (p > 0 ? Math.exp((Math.log(p) - top) / temperature) : 0))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let mass = 0
  const last = weights.findIndex((weight) => (mass += weight) >= topP * total)
  return last === -1 ? weights.length : last + 1
}

/** In nats; what lies outside the candidates counts as one more outcome, which makes it a lower bound. */
function entropyOf(probabilities: Float32Array): number {
  let rest = 1
  let sum = 0
  for (const p of probabilities) {
    rest -= p
    if (p > 0) sum -= p * Math.log(p)
  }
  return rest > 0 ? sum - rest * Math.log(rest) : sum
}
