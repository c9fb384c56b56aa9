import { Worker } from 'node:worker_threads'
import type { ChatTurn } from '../messages.ts'
import { WeightsError } from '../weights/errors.ts'
import type { Vocabulary } from '../weights/vocabulary.ts'
import type { FromThread, ToThread } from './encoder-messages.ts'
import type { EncodedPrompt } from './prompt-encoder.ts'

const THREAD_MEGABYTES_MAX = 512

export type EncoderJob = {
  model: string
  turns: readonly ChatTurn[]
  tokensMax: number
  signal: AbortSignal | undefined
}

type Waiting = EncoderJob & { resolve: (prompt: EncodedPrompt) => void; reject: (error: unknown) => void }

type Model = { model: string; vocabulary: Vocabulary; template: string }

type Loading = { resolve: (longestBytes: number) => void; reject: (error: unknown) => void }

/** One thread and the jobs that wait for it, the shortest first. A thread that hangs or dies is replaced; its job is refused. */
export class EncoderLane {
  private worker: Worker | undefined
  private readonly models = new Map<string, Model>()
  private readonly loading = new Map<string, Loading>()
  private readonly queue: Waiting[] = []
  private running: { job: number; waiting: Waiting; watchdog: NodeJS.Timeout } | undefined
  private jobs = 0
  private closed = false
  private readonly jobMsMax: number

  /** `jobMsMax`: a job that runs longer is caught in a loop of its template. */
  constructor(jobMsMax: number) {
    this.jobMsMax = jobMsMax
  }

  /** Resolves with the bytes of the vocabulary's longest token. Throws WeightsError where it cannot be used. */
  async addModel(model: Model): Promise<number> {
    this.models.set(model.model, model)
    return new Promise((resolve, reject) => {
      this.loading.set(model.model, { resolve, reject })
      if (this.worker === undefined) this.start()
      else this.post({ kind: 'model', ...model })
      this.worker?.ref()
    })
  }

  /** Models that a later start of the thread will know: for a lane that may never be needed. */
  prepareModel(model: Model): void {
    this.models.set(model.model, model)
    if (this.worker !== undefined) this.post({ kind: 'model', ...model })
  }

  async encode(job: EncoderJob): Promise<EncodedPrompt> {
    return new Promise((resolve, reject) => {
      const waiting = { ...job, resolve, reject }
      this.queue.push(waiting)
      job.signal?.addEventListener('abort', () => this.abandon(waiting), { once: true })
      if (this.worker === undefined) this.start()
      this.next()
    })
  }

  async close(): Promise<void> {
    this.closed = true
    for (const waiting of this.queue.splice(0)) waiting.reject(new Error('the encoder was closed'))
    const { worker } = this
    this.lose('the encoder was closed')
    await worker?.terminate()
  }

  private start(): void {
    const worker = new Worker(new URL('encoder-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES_MAX },
    })
    this.worker = worker
    worker.unref()
    worker.on('message', (message: FromThread) => this.take(message))
    // 'error' comes before 'exit'; without a listener it would end the process.
    worker.on('error', () => this.restart(worker, 'the chat template used too much memory'))
    worker.on('exit', () => this.restart(worker, 'the encoder ended'))
    for (const model of this.models.values()) this.post({ kind: 'model', ...model })
  }

  private take(message: FromThread): void {
    if (message.kind === 'encoded') {
      if (this.running?.job !== message.job) return
      const { waiting, watchdog } = this.running
      clearTimeout(watchdog)
      this.running = undefined
      waiting.resolve(message.prompt)
      this.next()
      return
    }
    const loading = this.loading.get(message.model)
    this.loading.delete(message.model)
    if (message.kind === 'ready') loading?.resolve(message.longestBytes)
    else loading?.reject(new WeightsError(`${message.model}: ${message.reason}`))
    this.next()
  }

  /** Gives the thread its next job. */
  private next(): void {
    if (this.running !== undefined || this.worker === undefined) return
    const waiting = this.queue.sort((a, b) => sizeOf(a) - sizeOf(b)).shift()
    if (waiting === undefined) {
      // An idle thread does not keep the process alive; one at work does.
      if (this.loading.size === 0) this.worker.unref()
      return
    }
    const { worker } = this
    worker.ref()
    const job = ++this.jobs
    const watchdog = setTimeout(() => this.restart(worker, 'the chat template takes too long'), this.jobMsMax)
    this.running = { job, waiting, watchdog }
    this.post({ kind: 'encode', job, model: waiting.model, turns: waiting.turns, tokensMax: waiting.tokensMax })
  }

  /** What waits is dropped; what runs ends by itself, soon, and is told to nobody. */
  private abandon(waiting: Waiting): void {
    const place = this.queue.indexOf(waiting)
    if (place >= 0) this.queue.splice(place, 1)
    waiting.reject(waiting.signal?.reason)
  }

  private restart(worker: Worker, reason: string): void {
    if (this.worker !== worker) return
    this.lose(reason)
    void worker.terminate()
    if (this.closed || this.queue.length === 0) return
    this.start()
    this.next()
  }

  private lose(reason: string): void {
    this.worker = undefined
    for (const loading of this.loading.values()) loading.reject(new WeightsError(reason))
    this.loading.clear()
    if (this.running === undefined) return
    const { waiting, watchdog } = this.running
    clearTimeout(watchdog)
    this.running = undefined
    waiting.resolve({ kind: 'refused', reason })
  }

  private post(message: ToThread): void {
    this.worker?.postMessage(message)
  }
}

/** A message takes a template some 30 µs, as long as so many characters of text take. */
const TURN_LENGTH = 64

/** How much work a conversation is, in characters. A hundred thousand empty messages are no short one. */
export function sizeOf({ turns }: Pick<EncoderJob, 'turns'>): number {
  return turns.reduce((sum, { text }) => sum + text.length + TURN_LENGTH, 0)
}
