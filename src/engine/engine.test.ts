import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toyPrompt } from '../../test/support/decode.ts'
import {
  cellsLeak,
  last,
  type LocalEngine,
  localRequest,
  type LocalReply,
  textOf,
  using,
} from '../../test/support/local-engine.ts'
import { openToyEngine, type ToyModel } from '../../test/support/toy-engine.ts'
import { toySpec } from '../../test/support/toy-forward.ts'
import type { Decoding, GenerateRequest } from './messages.ts'

const VERIFIED: Decoding = { rule: 'verified', threshold: 0.2, window: 5, perStep: 1 }
const TRUSTED: Decoding = { ...VERIFIED, rule: 'threshold', threshold: 0.6 }
const MODELS: ToyModel[] = [
  { id: 'Model', spec: toySpec('causal-context'), decoding: VERIFIED },
  { id: 'Trusted', spec: toySpec('causal-context'), decoding: TRUSTED },
  { id: 'Blocks', spec: toySpec('block-causal'), decoding: TRUSTED },
  { id: 'Whole', spec: toySpec('bidirectional'), decoding: TRUSTED },
]

async function replyAlone(request: GenerateRequest, prompt: number[], limits = {}): Promise<string> {
  return using(openToyEngine(MODELS, limits), async (engine) => {
    const reply = engine.send(request, prompt)
    await reply.done
    equal(last(reply)?.kind, 'done')
    return textOf(reply.events)
  })
}

describe('the order of events', () => {
  test('started, then text and steps, then done with the usage of what was shown', async () => {
    await using(openToyEngine(MODELS), async (engine) => {
      const reply = engine.send(localRequest({ wantsSteps: true, tokensMax: 20 }), toyPrompt(50, 1))
      await reply.done
      deepEqual(reply.events[0], { kind: 'started', promptTokens: 50 })
      const done = last(reply)
      ok(done?.kind === 'done')
      equal(done.usage.completionTokens, textOf(reply.events).length)
      // Two forwards for 50 prompt rows at 32 a forward; the second is the first step too.
      const steps = reply.events.filter((event) => event.kind === 'step')
      equal(done.usage.steps, steps.length + 1)
      deepEqual(
        steps.map((event) => event.step),
        steps.map((_, i) => i + 1),
      )
      ok(steps.every((event) => event.set.length > 0))
    })
  })
  test('a stop string ends the reply, is not part of it, and says stop', async () => {
    await using(openToyEngine(MODELS), async (engine) => {
      const whole = engine.send(localRequest(), toyPrompt(20, 2))
      await whole.done
      const text = textOf(whole.events)
      const stop = text.slice(7, 9)
      const cut = engine.send(localRequest({ stop: [stop] }), toyPrompt(20, 2))
      await cut.done
      equal(textOf(cut.events), text.slice(0, text.indexOf(stop)))
      const done = last(cut)
      ok(done?.kind === 'done' && done.finish === 'stop')
      equal(done.usage.completionTokens, text.indexOf(stop))
    })
  })
  test('the window ends a reply with length', async () => {
    await using(openToyEngine([{ ...MODELS[0], toy: { endEvery: 1e9 } } as ToyModel]), async (engine) => {
      const reply = engine.send(localRequest({ tokensMax: 8192 }), toyPrompt(200, 2))
      await reply.done
      const done = last(reply)
      ok(done?.kind === 'done' && done.finish === 'length')
      equal(done.usage.completionTokens, 56)
    })
  })
  test('a rule or window that the model cannot follow fails with a sentence', async () => {
    await using(openToyEngine(MODELS), async (engine) => {
      for (const decoding of [{ rule: 'factor' }, { rule: 'none' }, { window: 1e9 }, { window: 0.5 }]) {
        const reply = engine.send(localRequest({ decoding }), toyPrompt(9, 2))
        await reply.done
        const end = last(reply)
        ok(end?.kind === 'failed' && end.reason === 'engine_failed' && end.detail.endsWith('.'))
      }
    })
  })
  test('a prompt that fills the window is refused', async () => {
    await using(openToyEngine(MODELS), async (engine) => {
      const reply = engine.send(localRequest(), toyPrompt(256, 2))
      await reply.done
      ok(reply.events.length === 1 && last(reply)?.kind === 'failed')
    })
  })
})

describe('the same seed gives the same reply', () => {
  for (const { id } of MODELS) {
    test(`${id}: alone, among 16 mixed requests, with a beginning reused or not, with every prefill piece`, async () => {
      const request = () => localRequest({ model: id, seed: 42 })
      const prompt = toyPrompt(45, 8)
      const alone = await replyAlone(request(), prompt)
      for (let prefillChunk = 1; prefillChunk < 50; prefillChunk += 7) {
        equal(await replyAlone(request(), prompt, { prefillChunk }), alone)
      }
      await using(openToyEngine(MODELS), async (engine) => {
        const others = Array.from({ length: 16 }, (_, i) => {
          const model = MODELS[i % MODELS.length]?.id ?? 'Model'
          const more = { model, seed: i, owner: `o${i % 3}`, temperature: i % 2, tokensMax: 5 + 3 * i }
          return engine.send(localRequest(more), toyPrompt(3 + 9 * i, i))
        })
        const among = engine.send(request(), prompt)
        await Promise.all([among.done, ...others.map((other) => other.done)])
        equal(textOf(among.events), alone)
        const again = engine.send(request(), prompt)
        await again.done
        equal(textOf(again.events), alone)
        const done = last(again)
        ok(done?.kind === 'done')
        // All but the last prompt token; whole blocks of 5; nothing where every row sees all.
        equal(done.usage.reusedTokens, { Blocks: 40, Whole: 0 }[id] ?? 44)
      })
    })
  }
})

describe('a beginning is shared', () => {
  const common = 12
  const prompt = (seed: number): number[] => [...toyPrompt(common, 99), ...toyPrompt(20, 5), ...toyPrompt(6, seed)]
  const reused = async (engine: LocalEngine, owner: string, seed: number): Promise<number> => {
    const reply = engine.send(localRequest({ owner }), prompt(seed), common)
    await reply.done
    const done = last(reply)
    return done?.kind === 'done' ? done.usage.reusedTokens : -1
  }
  test('inside one owner; between owners only what the template itself puts in front', async () => {
    await using(openToyEngine(MODELS), async (engine) => {
      equal(await reused(engine, 'a', 1), 0)
      equal(await reused(engine, 'a', 2), 32)
      equal(await reused(engine, 'b', 1), common)
      equal(await reused(engine, 'b', 1), 37)
    })
  })
  test('not between blocks of different sizes: their keys and values differ', async () => {
    await using(openToyEngine(MODELS), async (engine) => {
      const usual = engine.send(localRequest({ model: 'Blocks' }), prompt(1))
      await usual.done
      const other = () => localRequest({ model: 'Blocks', decoding: { window: 8 } })
      const wide = engine.send(other(), prompt(1))
      await wide.done
      const done = last(wide)
      ok(done?.kind === 'done' && done.usage.reusedTokens === 0)
      equal(textOf(wide.events), await replyAlone(other(), prompt(1)))
    })
  })
  test('a next turn reuses the reply of the last one', async () => {
    await using(openToyEngine(MODELS), async (engine) => {
      const first = engine.send(localRequest({ tokensMax: 20 }), toyPrompt(30, 3))
      await first.done
      const reply = Array.from(textOf(first.events), (letter) => letter.charCodeAt(0) - 97)
      const second = engine.send(localRequest(), [...toyPrompt(30, 3), ...reply, ...toyPrompt(10, 4)])
      await second.done
      const done = last(second)
      ok(done?.kind === 'done' && done.usage.reusedTokens >= 30 + reply.length - 3)
    })
  })
})

describe('places', () => {
  test('what does not fit waits, and kept beginnings make room', async () => {
    const small = { id: 'Model', spec: toySpec('causal-context'), decoding: VERIFIED, toy: { cells: 320 } }
    await using(openToyEngine([small]), async (engine) => {
      const replies = Array.from({ length: 12 }, (_, i) =>
        engine.send(localRequest({ seed: i, owner: 'a', tokensMax: 60 }), toyPrompt(40 + i, i)),
      )
      await Promise.all(replies.map((reply) => reply.done))
      for (const reply of replies) equal(last(reply)?.kind, 'done')
      equal(cellsLeak(engine), false)
    })
  })
  test('what waits for those who run costs no kept beginning', async () => {
    const toy = { cells: 320, endEvery: 1e9 }
    const small = { id: 'Model', spec: toySpec('causal-context'), decoding: VERIFIED, toy }
    await using(openToyEngine([small]), async (engine) => {
      const first = engine.send(localRequest({ tokensMax: 1 }), toyPrompt(40, 1))
      await first.done
      const long = engine.send(localRequest({ tokensMax: 60 }), toyPrompt(150, 2))
      const waits = engine.send(localRequest({ tokensMax: 60 }), toyPrompt(150, 3))
      let kept = 0
      engine.afterStep = () => {
        if (waits.task?.state === 'waiting') kept = engine.rooms.get('Model')?.beginnings.size ?? 0
      }
      await Promise.all([long.done, waits.done])
      equal(kept, 1)
      equal(last(waits)?.kind, 'done')
    })
  })
  test('equal requests of one owner begin in the order they came, and end together', async () => {
    const ends: number[] = []
    const firsts: number[] = []
    await using(openToyEngine([{ ...MODELS[0], toy: { endEvery: 1e9 } } as ToyModel]), async (engine) => {
      const replies = Array.from({ length: 16 }, (_, i) => engine.send(localRequest({ seed: i }), toyPrompt(64, i)))
      let steps = 0
      engine.afterStep = () => {
        steps++
        for (const [i, { events }] of replies.entries()) {
          if (events.length > 0) firsts[i] ??= steps
          if (events.at(-1)?.kind === 'done') ends[i] ??= steps
        }
      }
      await Promise.all(replies.map((reply) => reply.done))
      const mean = ends.reduce((sum, end) => sum + end, 0) / ends.length
      ok(Math.max(...ends) <= 1.25 * mean, `steps until each end: ${ends.join(' ')}`)
      deepEqual(
        firsts,
        firsts.toSorted((a, b) => a - b),
      )
    })
  })
  test('one owner’s requests are let in as they came', async () => {
    await using(openToyEngine(MODELS, { runningMax: 1 }), async (engine) => {
      const ends: number[] = []
      const replies = Array.from({ length: 6 }, (_, i) => engine.send(localRequest({ tokensMax: 5 }), toyPrompt(10, i)))
      await Promise.all(replies.map((reply, i) => reply.done.then(() => ends.push(i))))
      deepEqual(ends, [0, 1, 2, 3, 4, 5])
    })
  })
  test('an owner with one request is not held up by another with many', async () => {
    await using(openToyEngine(MODELS, { runningMax: 2 }), async (engine) => {
      const ends: string[] = []
      const note = (name: string, reply: LocalReply) => reply.done.then(() => ends.push(name))
      const many = Array.from({ length: 10 }, (_, i) => {
        return note('many', engine.send(localRequest({ owner: 'many', seed: i }), toyPrompt(10, i)))
      })
      const one = note('one', engine.send(localRequest({ owner: 'one' }), toyPrompt(10, 77)))
      await Promise.all([one, ...many])
      ok(ends.indexOf('one') < 5, ends.join(' '))
    })
  })
  test('a long prompt is read in pieces while others go on', async () => {
    await using(openToyEngine(MODELS, { prefillChunk: 8 }), async (engine) => {
      const ends: string[] = []
      const long = engine.send(localRequest({ tokensMax: 1 }), toyPrompt(240, 1))
      const short = engine.send(localRequest({ tokensMax: 10 }), toyPrompt(4, 1))
      await Promise.all([long.done.then(() => ends.push('long')), short.done.then(() => ends.push('short'))])
      deepEqual(ends, ['short', 'long'])
    })
  })
  for (const { id, rows } of [
    { id: 'Model', rows: [8, 8, 8, 8, 8, 5 + 5] },
    // Whole blocks, and the reply's first one with the last of them.
    { id: 'Blocks', rows: [10, 10, 10, 10, 5 + 5] },
    // All of its canvas at once.
    { id: 'Whole', rows: [45 + 40] },
  ]) {
    test(`${id}: the pace of prompts hears of the rows that were planned, not of those that were granted`, async () => {
      await using(openToyEngine(MODELS, { prefillChunk: 8 }), async (engine) => {
        const heard: number[] = []
        const room = engine.rooms.get(id)
        ok(room)
        room.pace.record = (parts) => void heard.push(...parts.map((part) => part.rows))
        await engine.send(localRequest({ model: id }), toyPrompt(45, 1)).done
        deepEqual(heard, rows)
      })
    })
  }
  test('models take turns by step', async () => {
    await using(openToyEngine(MODELS), async (engine) => {
      const a = engine.send(localRequest({ tokensMax: 30 }), toyPrompt(4, 1))
      const b = engine.send(localRequest({ tokensMax: 30, model: 'Blocks' }), toyPrompt(4, 1))
      let ahead = 0
      engine.afterStep = () => {
        ahead = Math.max(ahead, Math.abs((a.task?.steps ?? 0) - (b.task?.steps ?? 0)))
        if (a.task?.state !== 'running' || b.task?.state !== 'running') engine.afterStep = () => {}
      }
      await Promise.all([a.done, b.done])
      ok(ahead <= 2, `one model was ${ahead} steps ahead`)
    })
  })
})

describe('time', () => {
  test('a plain reply that is not whole by its deadline times out; its cells come back', async () => {
    await using(openToyEngine(MODELS), async (engine) => {
      const deadlineAt = engine.clock.now() + 50
      const reply = engine.send(localRequest({ streaming: false, deadlineAt, tokensMax: 200 }), toyPrompt(10, 1))
      await reply.done
      const end = last(reply)
      ok(end?.kind === 'failed' && end.reason === 'timed_out')
      const next = engine.send(localRequest(), toyPrompt(5, 1))
      await next.done
      equal(cellsLeak(engine), false)
    })
  })
  test('a stream that has begun may go on behind its deadline', async () => {
    await using(openToyEngine(MODELS), async (engine) => {
      const reply = engine.send(localRequest({ deadlineAt: engine.clock.now() + 50, tokensMax: 100 }), toyPrompt(10, 1))
      await reply.done
      equal(last(reply)?.kind, 'done')
    })
  })
  test('one that stands still for a minute ends', async () => {
    await using(openToyEngine(MODELS), async (engine) => {
      const reply = engine.send(localRequest({ tokensMax: 100 }), toyPrompt(10, 1))
      engine.afterStep = () => {
        if (reply.task !== undefined) reply.task.paused = true
      }
      await new Promise((resolve) => setImmediate(resolve))
      equal(last(reply)?.kind, 'text')
      engine.clock.ms += 60_001
      engine.scheduler.sweep()
      const end = last(reply)
      ok(end?.kind === 'failed' && end.reason === 'timed_out')
    })
  })
  test('one that cannot begin in time is refused at once, with the seconds to wait', async () => {
    await using(openToyEngine(MODELS, { runningMax: 1 }), async (engine) => {
      await engine.send(localRequest({ tokensMax: 100 }), toyPrompt(10, 1)).done
      const long = engine.send(localRequest({ tokensMax: 100 }), toyPrompt(10, 1))
      let late: LocalReply | undefined
      engine.afterStep = () => {
        late ??= engine.send(localRequest({ deadlineAt: engine.clock.now() + 30 }), toyPrompt(10, 1))
        const end = last(late)
        ok(end?.kind === 'failed' && end.reason === 'overloaded' && Number(end.detail) >= 1)
      }
      await long.done
      ok(late)
    })
  })
  test('a full queue refuses', async () => {
    await using(openToyEngine(MODELS, { runningMax: 1, queueMax: 3 }), async (engine) => {
      const replies = Array.from({ length: 8 }, (_, i) => engine.send(localRequest({ seed: i }), toyPrompt(10, i)))
      await Promise.all(replies.map((reply) => reply.done))
      const ends = replies.map((reply) => last(reply)?.kind)
      ok(ends.filter((kind) => kind === 'failed').length >= 4, ends.join(' '))
      equal(ends[0], 'done')
    })
  })
  test('a deadline that passes in the queue says overloaded, not timed out', async () => {
    await using(openToyEngine(MODELS, { runningMax: 1 }), async (engine) => {
      const long = engine.send(localRequest({ tokensMax: 100 }), toyPrompt(10, 1))
      const late = engine.send(localRequest({ deadlineAt: engine.clock.now() + 30 }), toyPrompt(10, 1))
      await Promise.all([long.done, late.done])
      const end = last(late)
      ok(end?.kind === 'failed' && end.reason === 'overloaded')
    })
  })
})

describe('a client that leaves', () => {
  test('frees its cells at every stage: 1,000 requests, cancelled after a random number of steps', async () => {
    // Some leave while a forward with their rows is under way, some between two.
    let during: () => void = () => {}
    const models = MODELS.map((model) => ({ ...model, toy: { before: () => during() } }))
    await using(openToyEngine(models, { runningMax: 8, queueMax: 2000 }), async (engine) => {
      let state = 12345
      const random = (below: number): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
        return (state >>> 8) % below
      }
      const open: { reply: LocalReply; left: number }[] = []
      const tick = (): void => {
        for (const item of open) {
          if (item.left-- === 0 && item.reply.task !== undefined) engine.scheduler.cancel(item.reply.task)
        }
      }
      engine.afterStep = tick
      during = tick
      const finished: Promise<void>[] = []
      for (let i = 0; i < 1000; i++) {
        const model = MODELS[random(MODELS.length)]?.id ?? 'Model'
        const request = localRequest({ model, tokensMax: 1 + random(30), seed: i, owner: `o${random(3)}` })
        const reply = engine.send(request, toyPrompt(1 + random(50), random(20)))
        open.push({ reply, left: random(80) + Math.floor(i / 8) })
        if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      const sentinel = engine.send(localRequest({ owner: 'last' }), toyPrompt(5, 5))
      finished.push(sentinel.done)
      await Promise.all(finished)
      while (engine.scheduler.running + engine.scheduler.queued > 0)
        await new Promise((resolve) => setImmediate(resolve))
      await engine.send(localRequest(), toyPrompt(5, 5)).done
      await new Promise((resolve) => setImmediate(resolve))
      equal(cellsLeak(engine), false)
      const ended = open.filter(({ reply }) => reply.events.at(-1)?.kind === 'done').length
      ok(ended > 0 && ended < 1000, `${ended} of 1,000 were whole`)
    })
  })
})
