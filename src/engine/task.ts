import type { Clock } from '../lib/clock.ts'
import type { Decoding, EngineFailure, EngineUsage, GenerateEvent, GenerateRequest, StepMark } from './messages.ts'
import type { Lease } from './model/forward.ts'
import type { Room, TextStream } from './room.ts'
import type { Mark, Outcome, Sequence } from './sequence.ts'

export type Emit = (event: GenerateEvent) => void

/** What a running request holds. */
export type Place = { sequence: Sequence; lease: Lease; text: TextStream; reused: number; startedAt: number }

/** One request from its arrival to its last event. Tells; decides nothing about others. */
export class Task {
  readonly request: GenerateRequest
  readonly room: Room
  /** Ends what is done for it outside the loop (encoding). */
  readonly abort = new AbortController()
  readonly #emit: Emit
  readonly #clock: Clock
  readonly #arrivedAt: number
  prompt: readonly number[] = []
  /** So many first prompt tokens are the template's own. */
  common = 0
  place: Place | undefined
  state: 'encoding' | 'waiting' | 'running' | 'ended' = 'encoding'
  /** Its reader is behind: no step until it has caught up. */
  paused = false
  steps = 0
  /** When it last took part in a forward or told something (monotonic). */
  progressAt: number
  #denoisings = 0
  #firstTextAt: number | undefined
  #told = false

  constructor(request: GenerateRequest, room: Room, emit: Emit, clock: Clock) {
    this.request = request
    this.room = room
    this.#emit = emit
    this.#clock = clock
    this.#arrivedAt = clock.monotonicMs()
    this.progressAt = this.#arrivedAt
  }

  get decoding(): Decoding {
    return { ...this.room.decoding, ...this.request.decoding }
  }

  /** Blocks of another size leave other keys and values behind: they are no beginning for the usual ones. */
  get shares(): boolean {
    return this.room.spec.attention !== 'block-causal' || this.decoding.window === this.room.decoding.window
  }

  /** The first event was told: from here a stream has no deadline. */
  get begun(): boolean {
    return this.#told
  }

  /** After each forward it took part in. Returns true when that ended it. */
  settle(outcome: Outcome, place: Place): boolean {
    this.steps++
    this.progressAt = this.#clock.monotonicMs()
    if (!this.#told) this.#tell({ kind: 'started', promptTokens: this.prompt.length })
    if (outcome.denoised) this.#tellStep(outcome)
    if (outcome.confirmed.length > 0) this.#tellText(place.text.push(outcome.confirmed))
    if (place.text.stopped) return this.#finish('stop', place)
    return outcome.ended === undefined ? false : this.#finish(outcome.ended, place)
  }

  fail(reason: EngineFailure, detail: string): void {
    this.state = 'ended'
    this.abort.abort()
    this.#tell({ kind: 'failed', reason, detail })
  }

  /** Ends without a word: nobody listens any more. */
  leave(): void {
    this.state = 'ended'
    this.abort.abort()
  }

  #finish(finish: 'stop' | 'length', place: Place): true {
    if (!place.text.stopped) this.#tellText(place.text.finish())
    this.state = 'ended'
    // A stop string can only show in the very last text too.
    this.#tell({ kind: 'done', finish: place.text.stopped ? 'stop' : finish, usage: this.#usage(place) })
    return true
  }

  #tellText(text: string): void {
    if (text === '') return
    this.#firstTextAt ??= this.#clock.monotonicMs()
    this.#tell({ kind: 'text', text })
  }

  #tellStep(outcome: Outcome): void {
    this.#denoisings++
    if (!this.request.wantsSteps) return
    const mark = ({ position, token, probability }: Mark): StepMark => ({
      position,
      text: this.room.tokenText(token),
      probability,
    })
    const { takenBack, masked } = outcome
    this.#tell({ kind: 'step', step: this.#denoisings, set: outcome.set.map(mark), takenBack, masked })
  }

  #tell(event: GenerateEvent): void {
    this.#told = true
    this.progressAt = this.#clock.monotonicMs()
    this.#emit(event)
  }

  #usage({ text, reused, startedAt }: Place): EngineUsage {
    const now = this.#clock.monotonicMs()
    return {
      promptTokens: this.prompt.length,
      completionTokens: text.tokens,
      steps: this.steps,
      reusedTokens: reused,
      queueMs: startedAt - this.#arrivedAt,
      firstTokenMs: (this.#firstTextAt ?? now) - this.#arrivedAt,
      totalMs: now - this.#arrivedAt,
    }
  }
}
