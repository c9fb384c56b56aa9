import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toyPrompt } from '../../test/support/decode.ts'
import { cellsLeak, last, type LocalEngine, localRequest, textOf, using } from '../../test/support/local-engine.ts'
import { openToyEngine, type ToyModel } from '../../test/support/toy-engine.ts'
import { toySpec } from '../../test/support/toy-forward.ts'

const MODEL: ToyModel = {
  id: 'Model',
  spec: toySpec('causal-context'),
  decoding: { rule: 'verified', threshold: 0.2, window: 5, perStep: 1, paced: true },
}

describe('what a forward is told to have taken', () => {
  test('is its own time, without what is made of its rows', async () => {
    let engine: LocalEngine | undefined
    const before = (): void => {
      if (engine !== undefined) engine.clock.ms += 7
    }
    engine = openToyEngine([{ ...MODEL, toy: { before } }])
    await using(engine, async ({ clock, rooms, told }) => {
      const room = rooms.get('Model')
      ok(room)
      room.tokenText = (token) => {
        clock.ms += 1000
        return String(token)
      }
      const reply = engine.send(localRequest({ wantsSteps: true }), toyPrompt(5, 5))
      await reply.done
      equal(last(reply)?.kind, 'done')
      ok(told.length > 0 && told.every((ms) => ms === 7), told.join(' '))
    })
  })
  test('is nothing where it failed', async () => {
    const before = (): void => {
      throw new Error('row 3 is not a row')
    }
    await using(openToyEngine([{ ...MODEL, toy: { before } }]), async (engine) => {
      await engine.send(localRequest(), toyPrompt(5, 5)).done
      await new Promise((resolve) => setImmediate(resolve))
      deepEqual(engine.told, [undefined])
    })
  })
})

describe('a forward that fails', () => {
  test('fails the requests in it, and only those', async () => {
    let broken = true
    const before = (): void => {
      if (broken) throw new Error('row 3 is not a row')
    }
    await using(openToyEngine([{ ...MODEL, toy: { before } }]), async (engine) => {
      const first = engine.send(localRequest(), toyPrompt(5, 5))
      await first.done
      deepEqual(last(first), { kind: 'failed', reason: 'engine_failed', detail: 'row 3 is not a row' })
      broken = false
      const next = engine.send(localRequest(), toyPrompt(5, 5))
      await next.done
      equal(last(next)?.kind, 'done')
      equal(cellsLeak(engine), false)
    })
  })
})

describe('a verified window beside many other replies', () => {
  const ask = async (others: number, wantsSteps: boolean) =>
    using(openToyEngine([MODEL], { runningMax: 16 }), async (engine) => {
      const replies = Array.from({ length: 1 + others }, (_, seed) =>
        engine.send(localRequest({ seed, tokensMax: 30, wantsSteps: wantsSteps && seed === 0 }), toyPrompt(5, 5)),
      )
      await Promise.all(replies.map(({ done }) => done))
      const [first] = replies
      ok(first)
      const end = last(first)
      ok(end?.kind === 'done')
      const shown = first.events.filter(({ kind }) => kind === 'step')
      return { text: textOf(first.events), shown, steps: end.usage.steps, tokens: end.usage.completionTokens }
    })

  test('rests, so that a step writes one token of each; the text is the same', async () => {
    const [alone, among] = [await ask(0, false), await ask(15, false)]
    equal(among.text, alone.text)
    ok(alone.steps < alone.tokens, `${alone.steps} steps for ${alone.tokens} tokens`)
    ok(among.steps > alone.steps, `${among.steps} steps beside others, ${alone.steps} alone`)
  })

  test('goes on where the steps are shown: they are those of the reply alone', async () => {
    const [alone, among] = [await ask(0, true), await ask(15, true)]
    ok(alone.shown.length > 0 && alone.shown.length < alone.tokens)
    deepEqual(among.shown, alone.shown)
  })
})
