import type { Clock } from '../lib/clock.ts'
import { decideWait } from './decide-wait.ts'
import type { EngineFailure, GenerateRequest } from './messages.ts'
import type { Candidates, Lease, Span, Work } from './model/forward.ts'
import type { PromptPart } from './prefill-pace.ts'
import type { Room } from './room.ts'
import { cellsNeeded, findProblem, reusableCount, startSequence } from './sequence.ts'
import { shareRows } from './share-rows.ts'
import { type Emit, type Place, Task } from './task.ts'

export type Limits = {
  /** Requests that wait, those that are being encoded included. */
  queueMax: number
  runningMax: number
  /** Prompt rows a forward. */
  prefillChunk: number
  /** A running stream that stands still this long ends. */
  idleMs: number
}

/** One forward's worth of work: all of one model. */
export type Batch = { room: Room; tasks: Task[]; works: Work[]; prompts: PromptPart[] }

/** What a new request is told when it cannot even wait. */
export type Refusal = { reason: EngineFailure; detail: string }

/**
 * Who waits, who runs, who is computed next. Its methods are called between forwards, except `arrive`, `encoded`, `cancel`, `pause`
 * and `sweep`, which may come at any time and therefore touch no cell.
 */
export class Scheduler {
  readonly #limits: Limits
  readonly #clock: Clock
  /** In order of arrival. */
  #waiting: Task[] = []
  #running: Task[] = []
  /** Ended while their cells may have been in use. */
  #leaving: Task[] = []
  #encoding = 0
  #turn = 0
  #holdMs: number | undefined

  constructor(limits: Limits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  get running(): number {
    return this.#running.length
  }

  get queued(): number {
    return this.#waiting.length + this.#encoding
  }

  /** A request comes in. It is either refused at once or counted as queued until `encoded` brings its tokens. */
  arrive(request: GenerateRequest, room: Room, emit: Emit): Task | Refusal {
    const verdict = decideWait({
      now: this.#clock.now(),
      deadlineAt: request.deadlineAt,
      queued: this.queued,
      running: this.running,
      holdMs: this.#holdMs,
      ...this.#limits,
    })
    if (verdict.kind === 'refuse') return { reason: 'overloaded', detail: String(verdict.retryAfterSeconds) }
    this.#encoding++
    return new Task(request, room, emit, this.#clock)
  }

  /** Its tokens are there: it waits for a place. Nothing happens to one that has ended meanwhile. */
  encoded(task: Task, prompt: readonly number[], common: number): void {
    this.#encoding--
    if (task.state !== 'encoding') return
    if (prompt.length >= task.room.spec.contextTokens) {
      const window = `${task.room.spec.contextTokens} tokens`
      return task.fail('prompt_too_long', `The prompt has ${prompt.length} tokens; the model's window is ${window}.`)
    }
    const problem = findProblem(task.decoding, task.room.spec.attention)
    if (problem !== undefined) return task.fail('engine_failed', problem)
    task.prompt = prompt
    task.common = common
    task.state = 'waiting'
    this.#waiting.push(task)
  }

  /** Encoding came to nothing. */
  refused(task: Task, refusal: Refusal): void {
    this.#encoding--
    if (task.state === 'encoding') task.fail(refusal.reason, refusal.detail)
  }

  /** Nobody listens any more. */
  cancel(task: Task): void {
    if (task.state === 'ended') return
    task.leave()
    this.#forget(task)
  }

  /** Ends what is over its time. Call it now and then also while a forward is under way. */
  sweep(): void {
    const now = this.#clock.now()
    const idleSince = this.#clock.monotonicMs() - this.#limits.idleMs
    for (const task of [...this.#waiting, ...this.#running]) {
      const late = now >= task.request.deadlineAt
      if (late && task.state === 'waiting') this.#end(task, 'overloaded', String(this.#secondsToWait()))
      else if (late && !(task.request.streaming && task.begun)) this.#end(task, 'timed_out', 'The deadline has passed.')
      else if (task.begun && task.progressAt <= idleSince)
        this.#end(task, 'timed_out', 'The reply stood still too long.')
    }
  }

  /** The next forward, or undefined when nobody has anything to compute. */
  pick(): Batch | undefined {
    this.#giveBack()
    this.sweep()
    this.#admit()
    const ready = this.#running.filter((task) => !task.paused && task.place !== undefined)
    const rooms = [...new Set(ready.map((task) => task.room))]
    // Models take turns by forward.
    const room = rooms[this.#turn++ % Math.max(1, rooms.length)]
    if (room === undefined) return undefined
    const tasks = ready.filter((task) => task.room === room)
    return { room, tasks, ...this.#plan(room, tasks) }
  }

  /** Hands each task of a batch its candidates; `ms`: what the forward took. */
  settle(batch: Batch, rows: readonly Candidates[][], ms: number): void {
    batch.room.pace.record(batch.prompts, batch.tasks.length > batch.prompts.length, ms)
    for (const [i, task] of batch.tasks.entries()) {
      if (task.state === 'ended' || task.place === undefined) continue
      try {
        const outcome = task.place.sequence.settle(rows[i] ?? [])
        if (task.settle(outcome, task.place)) this.#forget(task)
      } catch (error) {
        this.#end(task, 'engine_failed', error instanceof Error ? error.message : String(error))
      }
    }
  }

  /** The forward itself failed: which of them was the reason is not known. */
  fail(batch: Batch, detail: string): void {
    for (const task of batch.tasks) {
      if (task.state !== 'ended') this.#end(task, 'engine_failed', detail)
    }
  }

  #plan(room: Room, tasks: readonly Task[]): Pick<Batch, 'works' | 'prompts'> {
    const needs = tasks.map((task) => task.place?.sequence.promptRows ?? 0)
    const reading = tasks.flatMap(({ prompt }, i) => {
      const need = needs[i] ?? 0
      return need > 0 ? [{ need, at: prompt.length - need }] : []
    })
    const read = reading.map(({ at }) => at)
    const budget = room.pace.rowsMax(read, reading.length < tasks.length, this.#limits.prefillChunk)
    const shares = shareRows(
      reading.map(({ need }) => need),
      budget,
    )
    const works: Work[] = []
    const prompts: PromptPart[] = []
    for (const [i, { place, request }] of tasks.entries()) {
      if (place === undefined) continue
      const reads = (needs[i] ?? 0) > 0
      // Steps that are shown are those of the reply alone.
      const others = request.wantsSteps ? 0 : tasks.length - 1
      const spans = place.sequence.plan(reads ? (shares[prompts.length] ?? 1) : 1, others)
      works.push({ lease: place.lease, spans })
      // Not what was granted: some plan whole blocks, some their whole canvas.
      if (reads) prompts.push({ at: read[prompts.length] ?? 0, rows: countRows(spans) })
    }
    return { works, prompts }
  }

  /** Lets waiting requests in, as long as there are places and cells. Who runs least comes first, then who came first. */
  #admit(): void {
    const full = new Set<Room>()
    while (this.#running.length < this.#limits.runningMax) {
      const task = this.#nextWaiting(full)
      if (task === undefined) return
      if (this.#start(task)) this.#waiting = this.#waiting.filter((other) => other !== task)
      else full.add(task.room)
    }
  }

  #nextWaiting(full: ReadonlySet<Room>): Task | undefined {
    const load = Map.groupBy(this.#running, (task) => task.request.owner)
    const runs = (task: Task): number => load.get(task.request.owner)?.length ?? 0
    let best: Task | undefined
    for (const task of this.#waiting) {
      if (!full.has(task.room) && (best === undefined || runs(task) < runs(best))) best = task
    }
    return best
  }

  /** Gives a task its cells, with what can be reused in them. False: no cells now. True also when it failed for good. */
  #start(task: Task): boolean {
    const { room, request, prompt, decoding } = task
    const tokensMax = Math.min(request.tokensMax, room.spec.contextTokens - prompt.length)
    const found = task.shares ? room.beginnings.find(prompt, request.owner, task.common) : undefined
    const lease = takeCells(room, cellsNeeded(room.spec, decoding, prompt.length, tokensMax), found?.lease)
    if (lease === undefined) return false
    const usable = found !== undefined && room.beginnings.holds(found.lease) ? found : undefined
    const reused = usable === undefined ? 0 : reusableCount(room.spec, decoding, usable.count, prompt.length)
    if (usable !== undefined && reused > 0) room.forward.copy(usable.lease, lease, reused)
    try {
      const setup = { spec: room.spec, decoding, sampling: request, prompt, reused, tokensMax }
      const place: Place = {
        sequence: startSequence(setup),
        lease,
        text: room.openText(request.stop),
        reused,
        startedAt: this.#clock.monotonicMs(),
      }
      task.place = place
      task.state = 'running'
      this.#running.push(task)
    } catch (error) {
      room.forward.release(lease)
      task.fail('engine_failed', error instanceof Error ? error.message : String(error))
    }
    return true
  }

  #end(task: Task, reason: EngineFailure, detail: string): void {
    task.fail(reason, detail)
    this.#forget(task)
  }

  #forget(task: Task): void {
    this.#waiting = this.#waiting.filter((other) => other !== task)
    if (!this.#running.includes(task)) return
    this.#running = this.#running.filter((other) => other !== task)
    this.#leaving.push(task)
  }

  /** Cells of those who left: kept as a beginning for the next request. */
  #giveBack(): void {
    for (const { place, room, request, prompt, common, shares } of this.#leaving) {
      if (place === undefined) continue
      const heldMs = this.#clock.monotonicMs() - place.startedAt
      this.#holdMs = this.#holdMs === undefined ? heldMs : 0.8 * this.#holdMs + 0.2 * heldMs
      const tokens = shares ? place.sequence.exactTokens() : []
      room.beginnings.keep(place.lease, tokens, request.owner, Math.min(common, prompt.length))
    }
    this.#leaving = []
  }

  #secondsToWait(): number {
    const waitMs = ((this.#waiting.length + 1) * (this.#holdMs ?? 0)) / Math.max(1, this.running)
    return Math.max(1, Math.ceil(waitMs / 1000))
  }
}

function countRows(spans: readonly Span[]): number {
  return spans.reduce((sum, { tokens }) => sum + tokens.length, 0)
}

/** A lease, if need be in the place of kept beginnings; the one that is about to be copied goes last. */
function takeCells(room: Room, cells: number, spare: Lease | undefined): Lease | undefined {
  // Where those who run hold too much, it waits for them: what is dropped meanwhile helps nobody.
  if (!room.forward.fits(cells, room.beginnings.leases)) return undefined
  for (;;) {
    const lease = room.forward.lease(cells)
    if (lease !== undefined) return lease
    if (!room.beginnings.dropOldest(spare)) return undefined
  }
}
