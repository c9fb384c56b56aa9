import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { isRunning } from '../../test/support/processes.ts'
import { temporaryFolder } from '../../test/support/tiny-models.ts'
import { systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { type EngineClient, openEngine } from './client.ts'
import type { GenerateEvent, GenerateRequest } from './messages.ts'
import { writeRandomModel } from './weights/random.ts'

const folder = temporaryFolder()
const OPTIONS = {
  models: { Model: 'tiny.gguf', Whole: 'whole.gguf' },
  threads: 1,
  runningMax: 4,
  queueMax: 16,
  kernel: 'auto',
  cacheTokens: 4096,
  prefillChunk: 32,
  streamIdleMs: 60_000,
} as const
const opened: EngineClient[] = []

function open(options: Partial<Parameters<typeof openEngine>[0]['options']> = {}): EngineClient {
  const wish = {
    options: { ...OPTIONS, ...options },
    root: folder,
    dataFolder: folder,
    clock: systemClock,
    log: silentLog,
  }
  const engine = openEngine(wish)
  opened.push(engine)
  return engine
}

before(async () => {
  await writeRandomModel(join(folder, 'tiny.gguf'), { like: 'tiny-causal', seed: 1 })
  await writeRandomModel(join(folder, 'whole.gguf'), { like: 'tiny-dense', seed: 1 })
})
after(() => Promise.all(opened.map((engine) => engine.stop(0))))

let count = 0
function ask(over: Partial<GenerateRequest> = {}): GenerateRequest {
  return {
    id: `r${count++}`,
    owner: 'one',
    model: 'Model',
    turns: [{ role: 'user', text: 'Tell me something.' }],
    tokensMax: 20,
    temperature: 0.7,
    topP: 0.8,
    seed: 1,
    stop: [],
    wantsSteps: false,
    deadlineAt: Date.now() + 60_000,
    streaming: true,
    ...over,
  }
}

async function listen(engine: EngineClient, request: GenerateRequest, signal?: AbortSignal): Promise<GenerateEvent[]> {
  const events: GenerateEvent[] = []
  for await (const event of engine.generate(request, signal ?? new AbortController().signal)) events.push(event)
  return events
}

/** The first events, until one of that kind has come; the rest is read on. */
function begin(engine: EngineClient, request: GenerateRequest, kind: GenerateEvent['kind']) {
  const events: GenerateEvent[] = []
  const { promise: began, resolve } = Promise.withResolvers<void>()
  const abort = new AbortController()
  const run = async (): Promise<GenerateEvent[]> => {
    for await (const event of engine.generate(request, abort.signal)) {
      events.push(event)
      if (event.kind === kind) resolve()
    }
    return events
  }
  return { began, all: run(), abort }
}

describe('the engine in its own process', () => {
  test('answers, tells its models and what it has done', async () => {
    const engine = open()
    const early = listen(engine, ask())
    await engine.ready()
    const events = await early
    deepEqual(events[0]?.kind, 'started')
    const done = events.at(-1)
    ok(done?.kind === 'done')
    ok(done.usage.completionTokens <= 20)
    const whole = await listen(engine, ask({ model: 'Whole', wantsSteps: true }))
    equal(whole.at(-1)?.kind, 'done')
    ok(whole.some((event) => event.kind === 'step'))
    const health = engine.health()
    equal(health.state, 'ready')
    deepEqual(
      health.models.map((model) => model.id),
      ['Model', 'Whole'],
    )
    ok(health.forwards > 0 && health.forwardRows > health.forwards)
    ok(health.cellsFree > 0 && health.cellsFree + health.cellsKept <= health.cells)
    equal((await listen(engine, ask({ model: 'None' }))).at(-1)?.kind, 'failed')
  })

  test('refuses a model file that is none, with a sentence', async () => {
    const engine = open({ models: { Model: 'nothing.gguf' } })
    await rejects(engine.ready(), /The model Model cannot be opened: .*nothing\.gguf/)
    equal(engine.health().state, 'stopped')
    const end = (await listen(engine, ask())).at(-1)
    ok(end?.kind === 'failed' && end.reason === 'engine_failed')
  })

  test('frees the place of one who aborts or leaves the loop', async () => {
    const engine = open({ runningMax: 1 })
    await engine.ready()
    const long = begin(engine, ask({ tokensMax: 2000 }), 'text')
    await long.began
    const waits = listen(engine, ask())
    long.abort.abort()
    const end = (await long.all).at(-1)
    ok(end?.kind === 'failed' && end.reason === 'cancelled')
    equal((await waits).at(-1)?.kind, 'done')
    for await (const event of engine.generate(ask({ tokensMax: 2000 }), new AbortController().signal)) {
      if (event.kind === 'text') break
    }
    equal((await listen(engine, ask())).at(-1)?.kind, 'done')
    const aborted = await listen(engine, ask(), AbortSignal.abort())
    ok(aborted.length === 1 && aborted[0]?.kind === 'failed')
  })

  test('a reader that takes its time gets the same text, in fewer pieces', async () => {
    const engine = open()
    await engine.ready()
    const textOf = (events: GenerateEvent[]): string =>
      events.map((event) => (event.kind === 'text' ? event.text : '')).join('')
    const quick = await listen(engine, ask({ tokensMax: 300 }))
    const slow: GenerateEvent[] = []
    for await (const event of engine.generate(ask({ tokensMax: 300 }), new AbortController().signal)) {
      slow.push(event)
      // As long as the engine has something to compute for it.
      while (event.kind === 'started' && engine.health().running > 0) await new Promise((next) => setTimeout(next, 5))
    }
    equal(textOf(slow), textOf(quick))
    equal(slow.filter((event) => event.kind === 'text').length, 1)
  })
})

describe('kill -9 of the engine under load', () => {
  test('running requests fail honestly, waiting ones are answered, and it is back within 3 s', async () => {
    const engine = open({ runningMax: 2 })
    await engine.ready()
    const running = [0, 1].map((seed) => begin(engine, ask({ tokensMax: 1500, seed }), 'text'))
    await Promise.all(running.map((reply) => reply.began))
    const waiting = [0, 1, 2].map((seed) => listen(engine, ask({ seed, tokensMax: 5 })))
    const pid = engine.pid
    ok(pid)
    process.kill(pid, 'SIGKILL')
    const killedAt = performance.now()
    for (const reply of running) {
      const end = (await reply.all).at(-1)
      ok(end?.kind === 'failed' && end.reason === 'engine_failed')
      match(end.detail, /SIGKILL/)
    }
    for (const reply of waiting) equal((await reply).at(-1)?.kind, 'done')
    ok(performance.now() - killedAt < 3000, 'it took more than 3 s')
    equal(engine.health().restarts, 1)
    equal(engine.health().state, 'ready')
  })
})

describe('a process that dies of a request', () => {
  const worker = new URL('../../test/support/fragile-worker.ts', import.meta.url)
  const openFragile = (models: Record<string, string>): EngineClient => {
    const parts = { root: folder, dataFolder: folder, clock: systemClock, log: silentLog, worker }
    const engine = openEngine({ ...parts, options: { ...OPTIONS, models } })
    opened.push(engine)
    return engine
  }
  const say = (text: string): GenerateRequest => ask({ turns: [{ role: 'user', text }] })
  const reasonOf = (events: GenerateEvent[]): string | undefined => {
    const end = events.at(-1)
    return end?.kind === 'failed' ? end.reason : end?.kind
  }

  test('that one is never tried again; others that had not begun are, once', async () => {
    const engine = openFragile({})
    await engine.ready()
    const replies = [listen(engine, say('die')), listen(engine, say('hello'))]
    equal(reasonOf((await replies[0]) ?? []), 'engine_failed')
    equal(reasonOf((await replies[1]) ?? []), 'done')
    equal(engine.health().restarts, 1)
    equal(reasonOf(await listen(engine, say('die-early'))), 'engine_failed')
    equal(engine.health().restarts, 3)
    equal(reasonOf(await listen(engine, say('hello'))), 'done')
  })

  test('one that never comes up is told as a sentence instead of waiting for ever', async () => {
    const engine = openFragile({ 'never-opens': 'x.gguf' })
    await rejects(engine.ready(), /process ended \(SIGKILL\) while it opened the models/)
  })

  test('stopping lets replies end within the grace, then fails them and leaves no process behind', async () => {
    const engine = openFragile({})
    await engine.ready()
    const { pid } = engine
    ok(pid)
    const waits = listen(engine, say('wait'))
    // The request is on its way as soon as the reader waits.
    await new Promise((next) => setImmediate(next))
    await engine.stop(20)
    equal(reasonOf(await waits), 'engine_failed')
    equal(isRunning(pid), false)
    equal(reasonOf(await listen(engine, say('hello'))), 'engine_failed')
  })
})

describe('when the parent is gone', () => {
  test('the child ends itself within 2 s, even while it computes', async () => {
    const parent = fork(join(import.meta.dirname, '../../test/support/engine-parent.ts'), [folder], { execArgv: [] })
    const [pid] = (await once(parent, 'message')) as [number]
    parent.kill('SIGKILL')
    const killedAt = performance.now()
    while (isRunning(pid)) {
      ok(performance.now() - killedAt < 2000, 'the child is still there')
      await new Promise((next) => setTimeout(next, 10))
    }
  })
})
