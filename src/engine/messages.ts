/**
 * What is said between the engine and those who ask it: plain data, structured-clone safe, the same in one process and
 * across two. Names here are the engine's own; wire names of the API end in `api/`.
 */

/** One message of a conversation. `developer` has become `system` before it comes here; content is text only. */
export type ChatTurn = { role: 'system' | 'user' | 'assistant' | 'tool'; text: string }

export type GenerateRequest = {
  /** Chosen by the caller, unique among running requests; names the request in `cancel` and in the log. */
  id: string
  /** Whose request this is: cached beginnings are reused only inside one owner. */
  owner: string
  model: string
  turns: ChatTurn[]
  /** At least 1. */
  tokensMax: number
  /** 0 is greedy (the API never sends it; tests and benches do); otherwise 0.1 to 1. */
  temperature: number
  /** Above 0, up to 1. */
  topP: number
  /** Any safe integer; the same seed, request and model give the same reply. */
  seed: number
  /** Up to 4 non-empty strings; the first of them to appear ends the reply and is not part of it. */
  stop: string[]
  /** Tell each denoising step as a `step` event. */
  wantsSteps: boolean
  /** The whole of a plain reply, or the first byte of a stream, must be there by then (epoch ms). */
  deadlineAt: number
  /** True: `deadlineAt` bounds only the time to the first event. */
  streaming: boolean
  /** Overrides of the model's own decoding, for tests, benches and the playground; the API leaves it out. */
  decoding?: Partial<Decoding>
}

/** How masked positions become final. `rule` names a file of `denoise/`. */
export type Decoding = {
  rule: string
  /** τ of the rules that have one. */
  threshold: number
  /** Window rows (causal-context) or block size (the other forms). */
  window: number
  /** Tokens a step of rule `fixed`. */
  perStep: number
  /** Rule `verified`: the window rests while its drafts are seldom confirmed or many replies share the forward. The text is the same. */
  paced?: boolean
  /** Bidirectional models: compute the whole canvas at every step instead of reusing what a block's first step left. */
  exact?: boolean
}

export type EngineUsage = {
  promptTokens: number
  /** Tokens of the returned text; the end of turn is not counted. */
  completionTokens: number
  /** Forwards this request took part in, prefill included. */
  steps: number
  /** Of the prompt, taken from a cached beginning instead of computed. */
  reusedTokens: number
  queueMs: number
  firstTokenMs: number
  totalMs: number
}

/** A position of the reply (0-based, in tokens) that this step set. */
export type StepMark = { position: number; text: string; probability: number }

export type GenerateEvent =
  /** The first forward has returned: from here on the reply is running. */
  | { kind: 'started'; promptTokens: number }
  /** Text that can no longer change, in order. Never empty. */
  | { kind: 'text'; text: string }
  /** One denoising step, only if asked for: positions set, positions taken back, positions still masked. */
  | { kind: 'step'; step: number; set: StepMark[]; takenBack: number[]; masked: number[] }
  | { kind: 'done'; finish: 'stop' | 'length'; usage: EngineUsage }
  | { kind: 'failed'; reason: EngineFailure; detail: string }

export type EngineFailure =
  /** No model of that name is bound. */
  | 'unknown_model'
  /** The prompt with its template leaves no room for one token in the model's window. */
  | 'prompt_too_long'
  /** The model's chat template refused the conversation; detail is its sentence. */
  | 'template_refused'
  /** The queue is full, or the request could not begin before its deadline. detail: seconds to wait. */
  | 'overloaded'
  /** The deadline passed, or a stream stood still for 60 s. */
  | 'timed_out'
  /** The engine process died under this request, or a broken invariant stopped it. */
  | 'engine_failed'
  | 'cancelled'

/** What can be told of a bound model without asking it anything. */
export type ModelCard = {
  id: string
  /** Epoch seconds: when the file was made, or the file's time where it does not say. */
  createdAt: number
  name: string
  description: string
  license: string
  architecture: string
  attention: 'bidirectional' | 'block-causal' | 'causal-context'
  parameters: number
  fileBytes: number
  contextTokens: number
  decoding: Decoding
}

export type EngineHealth = {
  state: 'starting' | 'ready' | 'restarting' | 'stopped'
  models: ModelCard[]
  running: number
  queued: number
  queueMax: number
  restarts: number
  threads: number
  /** Forwards since start, their total time and rows: for metrics. */
  forwards: number
  forwardMs: number
  forwardRows: number
  /** Tokens that the caches of all models have room for; `cellsKept` hold beginnings that a next request may reuse. */
  cells: number
  cellsFree: number
  cellsKept: number
}

/** The door of the engine. `api` and `cli` know nothing else of it. */
export interface Engine {
  /** Events of one reply; ends after `done` or `failed`. Aborting `signal`, or leaving the loop, frees its place at once. */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<GenerateEvent>
  health(): EngineHealth
  /** Resolves when all bound models are loaded; rejects with a sentence when they cannot be. */
  ready(): Promise<void>
  /** Lets running replies end until `graceMs`, then ends the process. */
  stop(graceMs: number): Promise<void>
}
