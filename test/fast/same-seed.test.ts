import { equal, ok } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { GenerateRequest } from '../../src/engine/messages.ts'
import { openForward } from '../../src/engine/model/ggml-forward.ts'
import { openRoom, type Room } from '../../src/engine/room.ts'
import { LocalEngine, localRequest, textOf } from '../support/local-engine.ts'
import { toyPrompt } from '../support/decode.ts'
import { openNumbers } from '../support/real-rooms.ts'
import { openRandomModel } from '../support/tiny-models.ts'

/** Bytes as tokens: every random model has them. */
const prompt = toyPrompt(50, 3)

async function openTiny(id: string): Promise<Room> {
  const file = await openRandomModel(id)
  const forward = await openForward(file, {
    precision: 'file',
    cacheType: 'bf16',
    cells: 4096,
    threads: 1,
    keepLogits: false,
  })
  after(() => forward.close())
  const { spec, decoding } = file
  return openRoom({ id, spec, decoding, forward, openText: openNumbers, tokenText: String })
}

async function answer(rooms: Map<string, Room>, request: GenerateRequest, prefillChunk: number): Promise<string> {
  const engine = new LocalEngine(rooms, { prefillChunk })
  const reply = engine.send(request, prompt)
  await reply.done
  await engine.stop()
  equal(reply.events.at(-1)?.kind, 'done')
  return textOf(reply.events)
}

describe('random models of every form: the same request with the same seed gets the same reply', () => {
  for (const id of ['tiny-dense', 'tiny-moe', 'tiny-block', 'tiny-causal', 'tiny-causal-moe']) {
    test(`${id}: alone, in every prefill piece, among others, with its beginning reused`, async () => {
      const room = await openTiny(id)
      const rooms = new Map([[id, room]])
      const ask = (over: Partial<GenerateRequest> = {}) =>
        localRequest({ model: id, seed: 7, temperature: 1, topP: 1, ...over })
      const alone = await answer(rooms, ask(), 999)
      ok(alone.length > 0)
      while (room.beginnings.dropOldest());
      equal(await answer(rooms, ask(), 7), alone)
      const engine = new LocalEngine(rooms, { prefillChunk: 24 })
      const others = Array.from({ length: 8 }, (_, i) =>
        engine.send(ask({ seed: i, tokensMax: 3 + 4 * i, owner: 'other' }), toyPrompt(1 + 9 * i, i)),
      )
      const among = engine.send(ask({ owner: 'new' }), prompt)
      const again = engine.send(ask(), prompt)
      await Promise.all([among, again, ...others].map((reply) => reply.done))
      await engine.stop()
      equal(textOf(among.events), alone)
      equal(textOf(again.events), alone)
      const done = again.events.at(-1)
      ok(done?.kind === 'done')
      equal(done.usage.reusedTokens > 0, room.spec.attention !== 'bidirectional')
    })
  }
})
