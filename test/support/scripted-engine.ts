import type {
  Engine,
  EngineHealth,
  EngineUsage,
  GenerateEvent,
  GenerateRequest,
  ModelCard,
} from '../../src/engine/messages.ts'

/**
 * An engine that does what the last message says, so that a test can ask over HTTPS for any behaviour:
 * `say TEXT`, `long N` (N pieces of 1 KiB), `fail REASON [DETAIL]`, `fail-later REASON`, `hang`, `hang-later`, `die`,
 * `steps`; anything else gets a short greeting. Knows no clock but the one `hang` waits on: the caller's signal.
 */
export class ScriptedEngine implements Engine {
  readonly requests: GenerateRequest[] = []
  state: EngineHealth['state'] = 'ready'
  /** Replies whose loop is still open. */
  running = 0
  /** Text events made so far, to see whether a slow reader holds the writer back. */
  pieces = 0
  #waiting: { name: 'begin' | 'idle'; wake: () => void }[] = []

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GenerateEvent> {
    this.requests.push(request)
    this.running++
    this.#wake('begin')
    try {
      yield* this.#play(request, signal)
    } finally {
      this.running--
      if (this.running === 0) this.#wake('idle')
    }
  }

  health(): EngineHealth {
    return {
      state: this.state,
      models: MODELS,
      running: this.running,
      queued: 0,
      queueMax: 64,
      restarts: 0,
      threads: 1,
      forwards: 0,
      forwardMs: 0,
      forwardRows: 0,
      cells: 0,
      cellsFree: 0,
      cellsKept: 0,
    }
  }

  ready(): Promise<void> {
    return Promise.resolve()
  }

  stop(): Promise<void> {
    this.state = 'stopped'
    return Promise.resolve()
  }

  /** Resolves when a request comes after this call. */
  nextRequest(): Promise<void> {
    return new Promise((wake) => this.#waiting.push({ name: 'begin', wake }))
  }

  /** Resolves when no reply is being made. */
  idle(): Promise<void> {
    return this.running === 0 ? Promise.resolve() : new Promise((wake) => this.#waiting.push({ name: 'idle', wake }))
  }

  #wake(name: 'begin' | 'idle'): void {
    const due = this.#waiting.filter((entry) => entry.name === name)
    this.#waiting = this.#waiting.filter((entry) => entry.name !== name)
    for (const entry of due) entry.wake()
  }

  async *#play(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GenerateEvent> {
    const [word = '', ...rest] = (request.turns.at(-1)?.text ?? '').split(' ')
    const promptTokens = request.turns.reduce((sum, turn) => sum + Math.ceil(turn.text.length / 4), 4)
    if (word === 'hang') yield* aborted(signal)
    if (word === 'die') return
    if (word === 'fail') {
      yield { kind: 'failed', reason: reasonOf(rest[0]), detail: rest.slice(1).join(' ') }
      return
    }
    yield { kind: 'started', promptTokens }
    if (word === 'steps') yield* steps()
    let tokens = 0
    for (const text of texts(word, rest)) {
      if (signal.aborted) break
      tokens++
      this.pieces++
      yield { kind: 'text', text }
      if (tokens === request.tokensMax) break
    }
    if (word === 'hang-later') yield* aborted(signal)
    if (signal.aborted) yield* aborted(signal)
    if (word === 'fail-later') {
      yield { kind: 'failed', reason: reasonOf(rest[0]), detail: 'on purpose' }
      return
    }
    yield {
      kind: 'done',
      finish: tokens === request.tokensMax ? 'length' : 'stop',
      usage: usageOf(promptTokens, tokens),
    }
  }
}

function texts(word: string, rest: string[]): string[] {
  if (word === 'say') return rest.map((part, i) => (i === 0 ? part : ` ${part}`))
  if (word === 'long') return Array.from({ length: Number(rest[0]) }, () => 'x'.repeat(1024))
  return ['Hello', ' from', ' the', ' scripted', ' engine', '.']
}

async function* aborted(signal: AbortSignal): AsyncGenerator<GenerateEvent> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  yield { kind: 'failed', reason: 'cancelled', detail: '' }
}

const mark = (position: number, text: string) => ({ position, text, probability: 0.97 })

function* steps(): Generator<GenerateEvent> {
  yield { kind: 'step', step: 1, set: [mark(0, 'Hello'), mark(2, ' the')], takenBack: [], masked: [1, 3] }
  yield { kind: 'step', step: 2, set: [mark(1, ' from')], takenBack: [2], masked: [2, 3] }
}

function usageOf(promptTokens: number, completionTokens: number): EngineUsage {
  const steps = Math.max(1, Math.ceil(completionTokens / 2))
  return { promptTokens, completionTokens, steps, reusedTokens: 0, queueMs: 0, firstTokenMs: 1, totalMs: 2 }
}

const REASONS = [
  'unknown_model',
  'prompt_too_long',
  'template_refused',
  'overloaded',
  'timed_out',
  'engine_failed',
  'cancelled',
] as const

function reasonOf(word: string | undefined): (typeof REASONS)[number] {
  return REASONS.find((reason) => reason === word) ?? 'engine_failed'
}

function card(id: string): ModelCard {
  return {
    id,
    createdAt: 1_760_000_000,
    name: `Scripted ${id}`,
    description: 'Answers from a script.',
    license: 'Apache-2.0',
    architecture: 'scripted',
    attention: 'causal-context',
    parameters: 1,
    fileBytes: 1,
    contextTokens: 8192,
    decoding: { rule: 'verified', threshold: 0.9, window: 8, perStep: 1 },
  }
}

const MODELS = [card('Model'), card('Model-MoE')]
