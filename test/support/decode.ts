/** Runs one sequence to its end on a forward of its own: what the engine's loop does, without the engine. */
import type { Decoding } from '../../src/engine/messages.ts'
import type { Forward } from '../../src/engine/model/forward.ts'
import type { ModelSpec } from '../../src/engine/model/spec.ts'
import type { Sampling } from '../../src/engine/sample.ts'
import { cellsNeeded, type Outcome, startSequence } from '../../src/engine/sequence.ts'
import { ToyForward } from './toy-forward.ts'

export type Alone = {
  spec: ModelSpec
  decoding: Decoding
  sampling: Sampling
  prompt: readonly number[]
  tokensMax: number
  /** Prompt rows a forward. */
  rowsMax: number
  forward?: Forward
}

export type AloneReply = {
  tokens: number[]
  ended: Outcome['ended']
  forwards: number
  denoisings: number
  outcomes: Outcome[]
}

export async function decodeAlone(alone: Alone): Promise<AloneReply> {
  const { spec, decoding, prompt, tokensMax } = alone
  const forward = alone.forward ?? new ToyForward(spec)
  const lease = forward.lease(cellsNeeded(spec, decoding, prompt.length, tokensMax))
  if (lease === undefined) throw new Error('no cells')
  const sequence = startSequence({ ...alone, reused: 0 })
  const reply: AloneReply = { tokens: [], ended: undefined, forwards: 0, denoisings: 0, outcomes: [] }
  while (reply.ended === undefined) {
    const spans = sequence.plan(alone.rowsMax)
    const [rows] = await forward.compute([{ lease, spans }])
    const outcome = sequence.settle(rows ?? [])
    reply.tokens.push(...outcome.confirmed)
    reply.ended = outcome.ended
    reply.forwards++
    reply.denoisings += outcome.denoised ? 1 : 0
    reply.outcomes.push(outcome)
  }
  forward.release(lease)
  return reply
}

/** Plain tokens of a toy model, the same for the same seed. */
export function toyPrompt(size: number, seed: number): number[] {
  let state = seed | 0
  return Array.from({ length: size }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return 4 + ((state >>> 8) % 20)
  })
}
