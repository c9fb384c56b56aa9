/** The engine's loop over toy forwards, in this process, on a clock that is turned by hand. */
import type { Clock } from '../../src/lib/clock.ts'
import { runEngine } from '../../src/engine/engine.ts'
import type { Decoding, GenerateEvent, GenerateRequest } from '../../src/engine/messages.ts'
import type { ModelSpec } from '../../src/engine/model/spec.ts'
import { openRoom, type Room, type TextStream } from '../../src/engine/room.ts'
import { type Limits, Scheduler } from '../../src/engine/scheduler.ts'
import type { Task } from '../../src/engine/task.ts'
import { ToyForward, type ToyOptions } from './toy-forward.ts'

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

export type ToyModel = { id: string; spec: ModelSpec; decoding: Decoding; toy?: ToyOptions }

/** Tokens as letters: 4 is "e", and so on. Stop strings as the real stream knows them, held back not at all. */
function openToyText(stop: readonly string[]): TextStream {
  let all = ''
  let stopped = false
  return {
    push(tokens) {
      if (stopped) return ''
      const before = all.length
      all += tokens.map(toyLetter).join('')
      const ends = stop.map((word) => all.indexOf(word)).filter((at) => at >= before)
      if (ends.length > 0) {
        stopped = true
        all = all.slice(0, Math.min(...ends))
      }
      return all.slice(before)
    },
    finish: () => '',
    get stopped() {
      return stopped
    },
    get tokens() {
      return all.length
    },
  }
}

export function toyLetter(token: number): string {
  return String.fromCharCode(97 + token)
}

export type ToyReply = { events: GenerateEvent[]; task: Task | undefined; done: Promise<void> }

export class ToyEngine {
  readonly clock = new HandClock()
  readonly scheduler: Scheduler
  readonly rooms: Map<string, Room>
  readonly forwards: Map<string, ToyForward>
  readonly #stop = new AbortController()
  readonly #loop: Promise<void>
  #wake: () => void = () => {}
  /** Called after each forward. */
  afterStep: () => void = () => {}

  constructor(models: readonly ToyModel[], limits: Partial<Limits> = {}) {
    this.scheduler = new Scheduler({ ...LIMITS, ...limits }, this.clock)
    this.forwards = new Map(models.map((model) => [model.id, new ToyForward(model.spec, model.toy)]))
    this.rooms = new Map(models.map((model) => [model.id, this.#open(model)]))
    this.#loop = runEngine(
      {
        scheduler: this.scheduler,
        clock: this.clock,
        rest: () => new Promise((resolve) => (this.#wake = resolve)),
        began: () => {},
        told: () => {
          this.clock.ms += 10
          this.afterStep()
        },
      },
      this.#stop.signal,
    )
  }

  #open(model: ToyModel): Room {
    const forward = this.forwards.get(model.id)
    if (forward === undefined) throw new Error('no forward')
    const { id, spec, decoding } = model
    return openRoom({ id, spec, decoding, forward, openText: openToyText, tokenText: toyLetter })
  }

  /** Sends a request whose prompt is already tokens; `common` of them are the template's own. */
  send(request: GenerateRequest, prompt: readonly number[], common = 0): ToyReply {
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
    this.wake()
    return { events, task: arrived, done: promise }
  }

  wake(): void {
    this.#wake()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    this.wake()
    await this.#loop
  }
}

let count = 0
export function toyRequest(over: Partial<GenerateRequest> = {}): GenerateRequest {
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
