/** The engine's loop in this process, over any rooms, on a clock that is turned by hand. */
import { runEngine } from '../../src/engine/engine.ts'
import type { GenerateEvent, GenerateRequest } from '../../src/engine/messages.ts'
import type { Room } from '../../src/engine/room.ts'
import { type Limits, Scheduler } from '../../src/engine/scheduler.ts'
import type { Task } from '../../src/engine/task.ts'
import type { Clock } from '../../src/lib/clock.ts'

export class HandClock implements Clock {
  ms = 1_000_000
  now(): number {
    return this.ms
  }
  monotonicMs(): number {
    return this.ms
  }
}

export const LIMITS: Limits = { queueMax: 64, runningMax: 16, prefillChunk: 32, idleMs: 60_000 }

export type LocalReply = { events: GenerateEvent[]; task: Task | undefined; done: Promise<void> }

export class LocalEngine {
  readonly clock = new HandClock()
  readonly scheduler: Scheduler
  readonly rooms: ReadonlyMap<string, Room>
  readonly #stop = new AbortController()
  readonly #loop: Promise<void>
  #wake: () => void = () => {}
  /** Of each step: what its forward took, undefined where it failed. */
  readonly told: (number | undefined)[] = []
  /** Called after each forward. */
  afterStep: () => void = () => {}

  constructor(rooms: ReadonlyMap<string, Room>, limits: Partial<Limits> = {}) {
    this.scheduler = new Scheduler({ ...LIMITS, ...limits }, this.clock)
    this.rooms = rooms
    this.#loop = runEngine(
      {
        scheduler: this.scheduler,
        clock: this.clock,
        rest: () => new Promise((resolve) => (this.#wake = resolve)),
        began: () => {},
        told: (_, ms) => {
          this.told.push(ms)
          this.clock.ms += 10
          this.afterStep()
        },
      },
      this.#stop.signal,
    )
  }

  /** Sends a request whose prompt is already tokens; `common` of them are the template's own. */
  send(request: GenerateRequest, prompt: readonly number[], common = 0): LocalReply {
    const room = this.rooms.get(request.model)
    if (room === undefined) throw new Error(`no model ${request.model}`)
    const events: GenerateEvent[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const arrived = this.scheduler.arrive(request, room, (event) => {
      events.push(event)
      if (event.kind === 'done' || event.kind === 'failed') resolve()
    })
    if ('reason' in arrived) {
      events.push({ kind: 'failed', ...arrived })
      resolve()
      return { events, task: undefined, done: promise }
    }
    this.scheduler.encoded(arrived, prompt, common)
    this.#wake()
    return { events, task: arrived, done: promise }
  }

  /** Ends the loop; forwards stay open. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.#wake()
    await this.#loop
  }
}

let count = 0
export function localRequest(over: Partial<GenerateRequest> = {}): GenerateRequest {
  return {
    id: `r${count++}`,
    owner: 'one',
    model: 'Model',
    turns: [],
    tokensMax: 40,
    temperature: 0.7,
    topP: 0.8,
    seed: 1,
    stop: [],
    wantsSteps: false,
    deadlineAt: Number.MAX_SAFE_INTEGER,
    streaming: true,
    ...over,
  }
}

export function textOf(events: readonly GenerateEvent[]): string {
  return events.map((event) => (event.kind === 'text' ? event.text : '')).join('')
}

/** Its last event so far. */
export function last(reply: LocalReply): GenerateEvent | undefined {
  return reply.events.at(-1)
}

/** Runs and stops the engine, whatever happens. */
export async function using<T>(engine: LocalEngine, run: (engine: LocalEngine) => Promise<T>): Promise<T> {
  try {
    return await run(engine)
  } finally {
    await engine.stop()
  }
}

/** Whether a cell is neither free nor kept as a beginning. */
export function cellsLeak(engine: LocalEngine): boolean {
  return [...engine.rooms.values()].some((room) => {
    while (room.beginnings.dropOldest());
    return room.forward.cellsFree !== room.forward.cellsTotal
  })
}
