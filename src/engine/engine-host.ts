import type { Clock } from '../lib/clock.ts'
import { runEngine } from './engine.ts'
import type { GenerateEvent, GenerateRequest } from './messages.ts'
import type { Rooms } from './open-rooms.ts'
import { Neighbours } from './neighbours.ts'
import type { Room } from './room.ts'
import { type Batch, type Refusal, Scheduler } from './scheduler.ts'
import type { Task } from './task.ts'
import { ThreadTuner } from './thread-tuner.ts'
import type { FromWorker, Opening, ToWorker, WorkerStats } from './wire.ts'

/** Deadlines are looked at this often also while a forward takes long. */
const SWEEP_MS = 250
const BEAT_MS = 1000
/** So long other processes' use of the cores is averaged. */
const NEIGHBOURS_MS = 500

/** The engine's side of the wire: requests in, events out, the loop between them. */
export class EngineHost {
  readonly #rooms: Rooms
  readonly #scheduler: Scheduler
  readonly #clock: Clock
  readonly #tuner: ThreadTuner
  readonly #neighbours = new Neighbours()
  readonly #send: (message: FromWorker) => void
  readonly #tasks = new Map<string, Task>()
  #outbox: [string, GenerateEvent][] = []
  #wake: () => void = () => {}
  #forwards = 0
  #forwardMs = 0
  #forwardRows = 0

  constructor(rooms: Rooms, opening: Opening, clock: Clock, send: (message: FromWorker) => void) {
    this.#rooms = rooms
    this.#clock = clock
    this.#send = send
    this.#scheduler = new Scheduler({ ...opening, idleMs: opening.streamIdleMs }, clock)
    this.#tuner = new ThreadTuner(rooms.cores, opening.threads)
  }

  stats(): WorkerStats {
    return {
      running: this.#scheduler.running,
      queued: this.#scheduler.queued,
      threads: this.#tuner.threads,
      forwards: this.#forwards,
      forwardMs: this.#forwardMs,
      forwardRows: this.#forwardRows,
      cells: this.#sum((room) => room.forward.cellsTotal),
      cellsFree: this.#sum((room) => room.forward.cellsFree),
      cellsKept: this.#sum((room) => room.beginnings.cells),
    }
  }

  #sum(count: (room: Room) => number): number {
    return this.#rooms.rooms.values().reduce((sum, room) => sum + count(room), 0)
  }

  /** Runs until the process ends. */
  async run(signal: AbortSignal): Promise<void> {
    const sweeps = setInterval(() => this.#sweep(), SWEEP_MS)
    const beats = setInterval(() => this.#send({ kind: 'beat', stats: this.stats() }), BEAT_MS)
    const looks = setInterval(() => this.#lookAround(), NEIGHBOURS_MS)
    await runEngine(
      {
        scheduler: this.#scheduler,
        clock: this.#clock,
        rest: () => new Promise((resolve) => (this.#wake = resolve)),
        began: (batch) => this.#began(batch),
        told: (batch, ms) => this.#told(batch, ms),
      },
      signal,
    )
    clearInterval(sweeps)
    clearInterval(beats)
    clearInterval(looks)
  }

  hear(message: ToWorker): void {
    if (message.kind === 'generate') void this.#generate(message.request)
    else if (message.kind === 'cancel') this.#cancel(message.id)
    else if (message.kind === 'pause') this.#pause(message.id, message.paused)
  }

  async #generate(request: GenerateRequest): Promise<void> {
    const room = this.#rooms.rooms.get(request.model)
    if (room === undefined) {
      return this.#refuse(request.id, { reason: 'unknown_model', detail: `No model ${request.model} is bound.` })
    }
    const task = this.#scheduler.arrive(request, room, (event) => this.#emit(request.id, event))
    if ('reason' in task) return this.#refuse(request.id, task)
    this.#tasks.set(request.id, task)
    await this.#encode(task, room)
    this.#flush()
    this.#wake()
  }

  async #encode(task: Task, room: Room): Promise<void> {
    const { turns } = task.request
    try {
      const most = room.spec.contextTokens - 1
      const prompt = await this.#rooms.encoder.encode(room.id, turns, most, task.abort.signal)
      if (prompt.kind === 'ids') return this.#scheduler.encoded(task, prompt.ids, prompt.beginning)
      if (prompt.kind === 'refused') {
        return this.#scheduler.refused(task, { reason: 'template_refused', detail: prompt.reason })
      }
      const detail = `The prompt has at least ${prompt.tokensMin} tokens; with its reply it must fit ${most + 1}.`
      this.#scheduler.refused(task, { reason: 'prompt_too_long', detail })
    } catch (error) {
      // Aborted, which ended the task already, or the encoder's own failure.
      const detail = error instanceof Error ? error.message : String(error)
      this.#scheduler.refused(task, { reason: 'engine_failed', detail })
    }
  }

  #cancel(id: string): void {
    const task = this.#tasks.get(id)
    if (task === undefined) return
    this.#tasks.delete(id)
    this.#scheduler.cancel(task)
    this.#wake()
  }

  #pause(id: string, paused: boolean): void {
    const task = this.#tasks.get(id)
    if (task === undefined) return
    task.paused = paused
    this.#wake()
  }

  #sweep(): void {
    this.#scheduler.sweep()
    this.#flush()
    this.#wake()
  }

  #lookAround(): void {
    const free = this.#neighbours.look()
    if (free !== undefined) this.#tuner.leave(free)
  }

  #began(batch: Batch): void {
    for (const forward of this.#rooms.forwards) forward.threads = this.#tuner.threads
    const ids = batch.tasks.filter((task) => task.steps === 0).map((task) => task.request.id)
    if (ids.length > 0) this.#send({ kind: 'began', ids })
  }

  #told(batch: Batch, ms: number | undefined): void {
    // One that failed is no measurement.
    if (ms !== undefined) this.#count(batch, ms)
    this.#flush()
  }

  #count(batch: Batch, ms: number): void {
    const spans = batch.works.flatMap((work) => work.spans)
    const rows = spans.reduce((sum, span) => sum + span.tokens.length, 0)
    this.#forwards++
    this.#forwardMs += ms
    this.#forwardRows += rows
    this.#tuner.record(rows, ms)
  }

  #refuse(id: string, refusal: Refusal): void {
    this.#emit(id, { kind: 'failed', ...refusal })
    this.#flush()
  }

  #emit(id: string, event: GenerateEvent): void {
    this.#outbox.push([id, event])
    if (event.kind === 'done' || event.kind === 'failed') this.#tasks.delete(id)
  }

  /** All events of a step in one message. */
  #flush(): void {
    if (this.#outbox.length === 0) return
    this.#send({ kind: 'events', events: this.#outbox, stats: this.stats() })
    this.#outbox = []
  }
}
