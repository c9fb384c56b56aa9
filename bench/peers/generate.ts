import type { Decoding } from '../../src/engine/messages.ts'
import { LocalEngine, localRequest } from '../../test/support/local-engine.ts'
import type { RealRooms } from '../../test/support/real-rooms.ts'

export type Generated = {
  tokens: number[]
  /** Milliseconds from the first token to the last, as they are told. */
  ms: number
  /** From the request to its end. */
  wholeMs: number
  forwards: number
}

/** One greedy reply of `Model` by the engine's own loop, alone. Throws where it fails. */
export async function generate(
  { rooms }: Pick<RealRooms, 'rooms'>,
  decoding: Partial<Decoding>,
  prompt: readonly number[],
  tokensMax: number,
): Promise<Generated> {
  const engine = new LocalEngine(rooms, { prefillChunk: 128 })
  const generated: Generated = { tokens: [], ms: 0, wholeMs: 0, forwards: 0 }
  const begin = performance.now()
  const reply = engine.send(localRequest({ tokensMax, temperature: 0, topP: 1, decoding }), prompt)
  let [first, seen] = [0, 0]
  engine.afterStep = () => {
    const now = performance.now()
    for (; seen < reply.events.length; seen++) {
      if (reply.events[seen]?.kind !== 'text') continue
      if (first === 0) first = now
      generated.ms = now - first
    }
  }
  await reply.done
  generated.wholeMs = performance.now() - begin
  for (const event of reply.events) {
    if (event.kind === 'text') generated.tokens.push(...event.text.trim().split(' ').filter(Boolean).map(Number))
    if (event.kind === 'done') generated.forwards = event.usage.steps
    if (event.kind === 'failed') throw new Error(`no reply: ${event.reason} ${event.detail}`)
  }
  await engine.stop()
  return generated
}
