import { equal, notEqual, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { GenerateRequest } from '../../src/engine/messages.ts'
import { LocalEngine, type LocalReply, localRequest, textOf } from '../support/local-engine.ts'
import { PROMPTS } from '../support/prompts.ts'
import { openRealRooms, type RealRooms } from '../support/real-rooms.ts'
import { temporaryFolder } from '../support/tiny-models.ts'

const folder = temporaryFolder()
let real: RealRooms
before(async () => {
  real = await openRealRooms(folder)
})
after(() => real.close())

const LONG = `Here is a list of words: ${PROMPTS.slice(0, 6).join(' ')} Which of them do you like?`

async function send(engine: LocalEngine, text: string, over: Partial<GenerateRequest>): Promise<LocalReply> {
  const request = localRequest({ tokensMax: 24, seed: 42, temperature: 1, topP: 1, ...over })
  const { ids, beginning } = await real.encode(request.model, text)
  return engine.send(request, ids, beginning)
}

async function answer(engine: LocalEngine, text: string, over: Partial<GenerateRequest>): Promise<string> {
  const reply = await send(engine, text, over)
  await reply.done
  equal(reply.events.at(-1)?.kind, 'done')
  return textOf(reply.events)
}

async function using<T>(limits: { prefillChunk?: number }, run: (engine: LocalEngine) => Promise<T>): Promise<T> {
  // No beginning of an earlier engine may help.
  for (const room of real.rooms.values()) while (room.beginnings.dropOldest());
  const engine = new LocalEngine(real.rooms, { queueMax: 1000, ...limits })
  try {
    return await run(engine)
  } finally {
    await engine.stop()
  }
}

describe('on the bundled pair, the same request with the same seed gets the same reply', () => {
  for (const model of ['Model', 'Model-MoE']) {
    for (const decoding of [{ rule: 'verified' }, { rule: 'threshold', threshold: 0.6 }]) {
      test(`${model}, ${decoding.rule}: alone, among 16 mixed requests, with a beginning reused, with every prefill piece`, async () => {
        const alone = await using({ prefillChunk: 4096 }, (engine) => answer(engine, LONG, { model, decoding }))
        notEqual(alone, '')
        for (const prefillChunk of [1, 33, 64]) {
          const cut = await using({ prefillChunk }, (engine) => answer(engine, LONG, { model, decoding }))
          equal(cut, alone, `prefill pieces of ${prefillChunk}`)
        }
        await using({ prefillChunk: 64 }, async (engine) => {
          const others = PROMPTS.slice(40, 56).map((text, i) => {
            const more = { model: i % 3 === 0 ? 'Model-MoE' : 'Model', seed: i, owner: `o${i % 3}`, temperature: i % 2 }
            return send(engine, text, {
              ...more,
              tokensMax: 5 + i,
              decoding: i % 4 === 0 ? { rule: 'sequential' } : {},
            })
          })
          const among = answer(engine, LONG, { model, decoding })
          for (const other of others) await (await other).done
          equal(await among, alone, 'among others')
          const again = await send(engine, LONG, { model, decoding })
          await again.done
          equal(textOf(again.events), alone, 'with its beginning reused')
          const done = again.events.at(-1)
          ok(done?.kind === 'done' && done.usage.reusedTokens === done.usage.promptTokens - 1)
        })
        for (const forward of real.forwards) forward.threads = 2
        equal(await using({}, (engine) => answer(engine, LONG, { model, decoding })), alone, 'with two threads')
        for (const forward of real.forwards) forward.threads = 1
      })
    }
  }
})
