import { join, resolve } from 'node:path'
import type { Static } from 'typebox'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { EventQueue } from './event-queue.ts'
import type { Engine, EngineFailure, EngineHealth, GenerateEvent, GenerateRequest, ModelCard } from './messages.ts'
import type { engineOptions } from './options.ts'
import { Supervisor } from './supervisor.ts'
import type { FromWorker, Opening, WorkerStats } from './wire.ts'

export type EngineWish = {
  options: Static<typeof engineOptions>
  /** Relative model files stand here. */
  root: string
  /** Small files that may be lost go to `cache` in here. */
  dataFolder: string
  clock: Clock
  log: Log
  /** Another program for the child: tests. */
  worker?: URL
}

/** Starts the engine's process at once; `ready()` tells when it serves. */
export function openEngine(wish: EngineWish): EngineClient {
  const { models, ...rest } = wish.options
  const paths = Object.entries(models).map(([id, file]) => [id, resolve(wish.root, file)] as const)
  const cacheFolder = join(wish.dataFolder, 'cache')
  // One compiled kernel for all data folders, where the program's own folder can be written.
  const kernelFolders = [join(wish.root, 'node_modules', '.cache', 'kernel'), cacheFolder]
  const opening = { ...rest, models: Object.fromEntries(paths), cacheFolder, kernelFolders }
  return new EngineClient(opening, wish)
}

/** A request between its arrival and its last event. */
type Open = {
  request: GenerateRequest
  queue: EventQueue
  /** The running child has it. */
  sent: boolean
  /** A forward with its rows has been begun: it may be what kills a process, so no other one gets it. */
  began: boolean
  retried: boolean
}

/** So many deaths before the first model was opened are no accident. */
const DEATHS_BEFORE_READY_MAX = 3

/** The child looks at deadlines itself; this is for one that cannot. */
const GRACE_MS = 2000
const SWEEP_MS = 500

/** What is told while no child has told anything. */
const NO_STATS: WorkerStats = {
  running: 0,
  queued: 0,
  threads: 0,
  forwards: 0,
  forwardMs: 0,
  forwardRows: 0,
  cells: 0,
  cellsFree: 0,
  cellsKept: 0,
}

/** The engine's door, in the API's process. */
export class EngineClient implements Engine {
  readonly #supervisor: Supervisor
  readonly #clock: Clock
  readonly #log: Log
  readonly #queueMax: number
  readonly #open = new Map<string, Open>()
  readonly #ready = Promise.withResolvers<void>()
  readonly #sweeps: NodeJS.Timeout
  #models: ModelCard[] = []
  #stats = NO_STATS
  /** Of children that are gone: the sums never fall. */
  #past = { forwards: 0, forwardMs: 0, forwardRows: 0 }
  #stopping = false
  #idle: (() => void) | undefined

  constructor(opening: Opening, { clock, log, worker }: Pick<EngineWish, 'clock' | 'log' | 'worker'>) {
    this.#clock = clock
    this.#log = log
    this.#queueMax = opening.queueMax
    // Whoever asks `ready` hears of a refusal; where nobody does, it is in the log.
    this.#ready.promise.catch(() => {})
    this.#supervisor = new Supervisor({
      worker: worker ?? new URL('worker.ts', import.meta.url),
      opening,
      log,
      hear: (message) => this.#hear(message),
      died: (how) => this.#died(how),
    })
    this.#sweeps = setInterval(() => this.#sweep(), SWEEP_MS)
    this.#sweeps.unref()
  }

  /** Of the child process; tests end it to see it come back. */
  get pid(): number | undefined {
    return this.#supervisor.pid
  }

  async ready(): Promise<void> {
    return this.#ready.promise
  }

  health(): EngineHealth {
    const { state, restarts } = this.#supervisor
    const held = [...this.#open.values()].filter((open) => !open.sent).length
    const { queued, forwards, forwardMs, forwardRows, ...rest } = this.#stats
    return {
      ...rest,
      state,
      models: this.#models,
      queued: queued + held,
      queueMax: this.#queueMax,
      restarts,
      forwards: this.#past.forwards + forwards,
      forwardMs: this.#past.forwardMs + forwardMs,
      forwardRows: this.#past.forwardRows + forwardRows,
    }
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GenerateEvent, void, void> {
    if (signal.aborted) return yield failed('cancelled', 'Cancelled before it began.')
    const refusal = this.#refusal(request)
    if (refusal !== undefined) return yield refusal
    const { id } = request
    const queue = new EventQueue((paused) => this.#supervisor.send({ kind: 'pause', id, paused }))
    const onAbort = (): void => this.#leave(id, queue)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#enter({ request, queue, sent: false, began: false, retried: false })
    try {
      for (;;) {
        const event = await queue.next()
        yield event
        if (event.kind === 'done' || event.kind === 'failed') return
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#leave(id, queue)
    }
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping = true
    const drained = new Promise<void>((resolve) => {
      this.#idle = resolve
      if (this.#open.size === 0) resolve()
    })
    const timer = Promise.withResolvers<void>()
    const timeout = setTimeout(timer.resolve, graceMs)
    await Promise.race([drained, timer.promise])
    clearTimeout(timeout)
    clearInterval(this.#sweeps)
    for (const id of this.#open.keys()) this.#fail(id, 'engine_failed', 'The server is stopping.')
    this.#ready.reject(new Error('The engine was stopped before it was ready.'))
    await this.#supervisor.stop()
  }

  #refusal(request: GenerateRequest): GenerateEvent | undefined {
    if (this.#open.has(request.id)) return failed('engine_failed', `The id ${request.id} is in use.`)
    const { state } = this.#supervisor
    if (this.#stopping || state === 'stopped') return failed('engine_failed', 'The engine has stopped.')
    const held = [...this.#open.values()].filter((open) => !open.sent).length
    // A process comes back within 3 s; until then requests wait here.
    return state !== 'ready' && held >= this.#queueMax ? failed('overloaded', '3') : undefined
  }

  #enter(open: Open): void {
    this.#open.set(open.request.id, open)
    if (this.#supervisor.state === 'ready') this.#submit(open)
  }

  #submit(open: Open): void {
    open.sent = true
    this.#supervisor.send({ kind: 'generate', request: open.request })
  }

  /** The reader is gone or has heard the last event. */
  #leave(id: string, queue: EventQueue): void {
    const open = this.#open.get(id)
    if (open === undefined || open.queue !== queue) return
    if (open.sent) this.#supervisor.send({ kind: 'cancel', id })
    this.#fail(id, 'cancelled', 'Cancelled by the caller.')
  }

  #fail(id: string, reason: EngineFailure, detail: string): void {
    this.#tell(id, failed(reason, detail))
  }

  #tell(id: string, event: GenerateEvent): void {
    const open = this.#open.get(id)
    if (open === undefined) return
    open.began = true
    open.queue.push(event)
    if (event.kind !== 'done' && event.kind !== 'failed') return
    this.#open.delete(id)
    if (this.#open.size === 0) this.#idle?.()
  }

  #hear(message: FromWorker): void {
    if ('stats' in message) this.#stats = message.stats
    if (message.kind === 'opened') this.#opened(message.models)
    else if (message.kind === 'refused') this.#refused(message.sentence)
    else if (message.kind === 'began') this.#began(message.ids)
    else if (message.kind === 'events') for (const [id, event] of message.events) this.#tell(id, event)
    else if (message.kind === 'log') this.#log[message.level](message.event, message.fields)
  }

  #opened(models: ModelCard[]): void {
    this.#models = models
    this.#ready.resolve()
    for (const open of this.#open.values()) if (!open.sent) this.#submit(open)
  }

  #refused(sentence: string): void {
    this.#log.error('engine_refused', { reason: sentence })
    this.#ready.reject(new Error(sentence))
    for (const id of this.#open.keys()) this.#fail(id, 'engine_failed', sentence)
  }

  #began(ids: readonly string[]): void {
    for (const id of ids) {
      const open = this.#open.get(id)
      if (open !== undefined) open.began = true
    }
  }

  /** What may have killed the process, or has already been heard of, fails; what only waited gets one more try. */
  #died(how: string): void {
    const { forwards, forwardMs, forwardRows } = this.#stats
    this.#past = {
      forwards: this.#past.forwards + forwards,
      forwardMs: this.#past.forwardMs + forwardMs,
      forwardRows: this.#past.forwardRows + forwardRows,
    }
    this.#stats = NO_STATS
    if (this.#supervisor.restarts >= DEATHS_BEFORE_READY_MAX) {
      // Once it was ready, this changes nothing.
      this.#ready.reject(
        new Error(`The engine's process ended (${how}) while it opened the models: see unmask doctor.`),
      )
    }
    for (const [id, open] of this.#open) {
      if (!open.sent) continue
      if (open.began || open.retried) this.#fail(id, 'engine_failed', `The engine's process ended (${how}).`)
      else Object.assign(open, { sent: false, retried: true })
    }
  }

  /** Requests that a child does not answer, or that no child has taken, have deadlines too. */
  #sweep(): void {
    const late = this.#clock.now() - GRACE_MS
    for (const [id, open] of this.#open) {
      if (open.request.deadlineAt >= late || (open.began && open.request.streaming)) continue
      if (open.sent) this.#supervisor.send({ kind: 'cancel', id })
      if (open.sent) this.#fail(id, 'timed_out', 'The deadline has passed.')
      else this.#fail(id, 'overloaded', '3')
    }
  }
}

function failed(reason: EngineFailure, detail: string): GenerateEvent {
  return { kind: 'failed', reason, detail }
}
