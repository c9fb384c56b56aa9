import { Worker } from 'node:worker_threads'
import type { Log } from '../../lib/log.ts'
import type { FromIndexer, IndexingStart, ToIndexer } from './indexing-messages.ts'

export type IndexerDeps = {
  log: Log
  /** Makes queries see the newest commit of a generation; answers its watermark. Fails if it cannot be read. */
  seen: (generation: number) => Promise<number>
}

type Waiter = { seq: number; resolve: () => void }

/** The indexing thread as its owner sees it. */
export class Indexer {
  readonly #worker: Worker
  readonly #deps: IndexerDeps
  #waiters: Waiter[] = []
  #promoted: (() => void)[] = []
  #seenSeq = 0
  #telling = Promise.resolve()
  #begin: () => void = () => {}
  /** Kept when there is something to ask, or another process has the index. */
  readonly begun: Promise<void>
  readonly #ended: Promise<void>
  /** Changes up to this number can be found. */
  watermark = 0

  constructor(start: IndexingStart, deps: IndexerDeps) {
    this.#deps = deps
    this.begun = new Promise((resolve) => {
      this.#begin = resolve
    })
    this.#worker = new Worker(new URL('./indexing-thread.ts', import.meta.url), { workerData: start })
    this.#ended = new Promise((resolve) => this.#worker.once('exit', () => resolve()))
    this.#worker.on('message', (event: FromIndexer) => this.#receive(event))
    this.#worker.on('error', (error: Error) => {
      this.#deps.log.error('indexing_stopped', { error: String(error) })
      this.#begin()
    })
  }

  #receive(event: FromIndexer): void {
    if (event.kind === 'committed' || event.kind === 'promoted') this.#see(event.generation, event.kind === 'promoted')
    else if (event.kind === 'idle') this.#settle(event.watermark)
    else if (event.kind === 'waiting') this.#follow(event.generation)
    else if (event.kind === 'failed') {
      this.#deps.log.error('indexing_failed', { error: event.message })
      this.#begin()
    } else this.#deps.log.info('links_ranked', { pages: event.pages, ms: event.ms })
  }

  /** Another process indexes: what it has committed is seen here a little later. */
  #follow(generation: number | undefined): void {
    if (generation === undefined) this.#begin()
    else {
      this.#see(generation, false)
      this.#telling = this.#telling.then(() => this.#resolveUpTo(this.watermark))
    }
  }

  /** One after the other: a reload that overtook another would show an older state. */
  #see(generation: number, promoted: boolean): void {
    this.#telling = this.#telling.then(async () => {
      try {
        this.watermark = await this.#deps.seen(generation)
      } catch (error) {
        this.#deps.log.warn('index_not_read', { generation, error: String(error) })
      }
      this.#begin()
      if (!promoted) return
      for (const resolve of this.#promoted.splice(0)) resolve()
    })
  }

  #settle(watermark: number): void {
    this.#telling = this.#telling.then(() => this.#resolveUpTo(watermark))
  }

  #resolveUpTo(watermark: number): void {
    this.#seenSeq = watermark
    const ready = this.#waiters.filter(({ seq }) => seq <= watermark)
    this.#waiters = this.#waiters.filter(({ seq }) => seq > watermark)
    for (const { resolve } of ready) resolve()
  }

  wake(): void {
    this.#send({ kind: 'wake' })
  }

  /** Kept when everything up to `seq` can be found. */
  async settled(seq: number): Promise<void> {
    if (seq <= this.#seenSeq) return
    await new Promise<void>((resolve) => {
      this.#waiters.push({ seq, resolve })
      this.wake()
    })
  }

  async rebuild(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#promoted.push(resolve)
      this.#send({ kind: 'rebuild' })
    })
  }

  #send(message: ToIndexer): void {
    this.#worker.postMessage(message)
  }

  async close(): Promise<void> {
    this.#send({ kind: 'close' })
    await this.#ended
    await this.#telling
  }
}
