import { Worker } from 'node:worker_threads'
import type { SearchAnswer, SearchRequest } from '../search.ts'
import type { CandidateList } from './candidate-list.ts'
import type { FromQuery, IndexCounts, QueryStart, ToQuery } from './query-messages.ts'

export type PoolAnswer = { answer: SearchAnswer; list: CandidateList }
type Waiting = { thread: Thread; resolve: (answer: PoolAnswer) => void; reject: (error: Error) => void }
type Reload = { resolve: () => void; reject: (error: Error) => void }
type Thread = { worker: Worker; asked: number; reloads: Map<number, Reload> }

/** A thread that dies is replaced, but not for ever: something is wrong with the index then. */
const REPLACED_MAX = 20

/** Threads that answer queries, the least busy one each time. */
export class QueryPool {
  readonly #start: QueryStart
  readonly #threads: Thread[]
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 1
  #generation = 0
  #replaced = 0
  #closed = false
  counts: IndexCounts = { pages: 0, images: 0, videos: 0, bytes: 0, watermark: 0 }

  constructor(start: QueryStart, threads: number) {
    this.#start = start
    this.#threads = Array.from({ length: threads }, () => this.#spawn())
  }

  #spawn(): Thread {
    const worker = new Worker(new URL('./query-thread.ts', import.meta.url), { workerData: this.#start })
    const thread: Thread = { worker, asked: 0, reloads: new Map() }
    worker.on('message', (message: FromQuery) => this.#receive(thread, message))
    worker.on('error', (error: Error) => this.#lost(thread, error))
    return thread
  }

  #receive(thread: Thread, message: FromQuery): void {
    if (message.kind === 'reloaded' || message.kind === 'unread') {
      const reload = thread.reloads.get(message.nonce)
      thread.reloads.delete(message.nonce)
      if (message.kind === 'unread') return reload?.reject(new Error(message.message))
      this.counts = message.counts
      return reload?.resolve()
    }
    const waiting = this.#waiting.get(message.id)
    if (waiting === undefined) return
    this.#waiting.delete(message.id)
    thread.asked--
    if (message.kind === 'answer') waiting.resolve(message)
    else waiting.reject(new Error(message.message))
  }

  #lost(thread: Thread, error: Error): void {
    for (const [id, waiting] of this.#waiting) {
      if (waiting.thread !== thread) continue
      this.#waiting.delete(id)
      waiting.reject(error)
    }
    for (const reload of thread.reloads.values()) reload.resolve()
    if (this.#closed || ++this.#replaced > REPLACED_MAX) return
    const fresh = this.#spawn()
    this.#threads[this.#threads.indexOf(thread)] = fresh
    if (this.#generation > 0) this.#reload(fresh).catch(() => {})
  }

  async search(
    request: SearchRequest,
    list: CandidateList | undefined,
    time: { msMax: number; nowMs: number },
  ): Promise<PoolAnswer> {
    const thread = this.#threads.reduce((least, each) => (each.asked < least.asked ? each : least))
    const id = this.#nextId++
    thread.asked++
    const message: ToQuery = { kind: 'search', id, request, ...time, ...(list === undefined ? {} : { list }) }
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, { thread, resolve, reject })
      thread.worker.postMessage(message)
    })
  }

  /** Every thread sees the newest commit of this generation when the promise is kept; its watermark. */
  async reload(generation: number): Promise<number> {
    this.#generation = generation
    await Promise.all(this.#threads.map(async (thread) => await this.#reload(thread)))
    return this.counts.watermark
  }

  async #reload(thread: Thread): Promise<void> {
    const nonce = this.#nextId++
    await new Promise<void>((resolve, reject) => {
      thread.reloads.set(nonce, { resolve, reject })
      const message: ToQuery = { kind: 'reload', generation: this.#generation, nonce }
      thread.worker.postMessage(message)
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#threads.map(async ({ worker }) => await worker.terminate()))
    for (const { reject } of this.#waiting.values()) reject(new Error('search is closed'))
    this.#waiting.clear()
  }
}
