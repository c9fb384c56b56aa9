import { deepEqual, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { GenerateRequest } from '../../src/engine/messages.ts'
import { LocalEngine, localRequest, textOf } from '../support/local-engine.ts'
import { PROMPTS } from '../support/prompts.ts'
import { openRealRooms, type RealRooms } from '../support/real-rooms.ts'
import { temporaryFolder } from '../support/tiny-models.ts'

const folder = temporaryFolder()
let real: RealRooms
before(async () => {
  real = await openRealRooms(folder)
})
after(() => real.close())

type Told = { text: string; steps: number; tokens: number }

/** Replies to prompts, 16 at a time. */
async function ask(prompts: readonly string[], over: Partial<GenerateRequest>): Promise<Told[]> {
  const engine = new LocalEngine(real.rooms, { queueMax: 1000, prefillChunk: 128 })
  const replies = await Promise.all(
    prompts.map(async (text, seed) => {
      const request = localRequest({ tokensMax: 32, seed, ...over })
      const { ids, beginning } = await real.encode(request.model, text)
      const reply = engine.send(request, ids, beginning)
      await reply.done
      const done = reply.events.at(-1)
      ok(done?.kind === 'done', JSON.stringify(done))
      return { text: textOf(reply.events), steps: done.usage.steps, tokens: done.usage.completionTokens }
    }),
  )
  await engine.stop()
  return replies
}

describe('on the bundled pair, `verified` equals `sequential` token for token', () => {
  const cases = [
    { name: 'greedy', temperature: 0, topP: 1 },
    { name: 'at temperature 0.7, top_p 0.8', temperature: 0.7, topP: 0.8 },
  ]
  for (const model of ['Model', 'Model-MoE']) {
    for (const { name, ...sampling } of cases) {
      const prompts = model === 'Model' ? PROMPTS : PROMPTS.filter((_, i) => i % 5 === 0)
      test(`${model}, ${prompts.length} prompts, ${name}`, async (t) => {
        const plain = await ask(prompts, { model, ...sampling, decoding: { rule: 'sequential' } })
        const verified = await ask(prompts, { model, ...sampling, decoding: { rule: 'verified', paced: false } })
        const wide = { rule: 'verified', window: 8, threshold: 0.1, paced: false }
        const eager = await ask(prompts.slice(0, 50), { model, ...sampling, decoding: wide })
        const paced = await ask(prompts.slice(0, 50), { model, ...sampling, decoding: { rule: 'verified' } })
        const texts = (told: readonly Told[]): string[] => told.map(({ text }) => text)
        deepEqual(texts(verified), texts(plain))
        for (const some of [eager, paced]) deepEqual(texts(some), texts(plain).slice(0, 50))
        const sum = (told: readonly Told[], key: 'steps' | 'tokens'): number =>
          told.reduce((all, one) => all + one[key], 0)
        t.diagnostic(`tokens a step: ${(sum(verified, 'tokens') / sum(verified, 'steps')).toFixed(2)}`)
        ok(sum(verified, 'steps') < sum(plain, 'steps'))
      })
    }
  }
})
