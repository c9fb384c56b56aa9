import { Worker } from 'node:worker_threads'
import type { Extraction, FetchedPage } from './fetched-page.ts'

export type PoolOptions = {
  threads: number
  /** A page that takes longer is given up, and its thread ended. */
  pageMsMax: number
  /** Heap of one thread, MB: a page that needs more ends its thread, not the process. */
  heapMbMax?: number
  /** What runs in a thread; another one only in tests. */
  thread?: URL
}

type Job = { page: FetchedPage; resolve: (extraction: Extraction) => void; reject: (reason: unknown) => void }
type Thread = { worker: Worker; job: Job | undefined; timer: NodeJS.Timeout | undefined }

const HEAP_MB_MAX = 768

/** Extracts pages in threads: a page that hangs or kills its thread is given up with a reason, and the others go on. */
export class ExtractPool {
  readonly #options: PoolOptions
  readonly #threads = new Set<Thread>()
  readonly #waiting: Job[] = []
  #closed = false

  /** Threads begin with the first pages. */
  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Rejects with the signal's reason, or when the pool is closed; whatever a page does is an `Extraction`. */
  async extract(page: FetchedPage, signal: AbortSignal): Promise<Extraction> {
    signal.throwIfAborted()
    if (this.#closed) throw new Error('extraction is closed')
    const { promise, resolve, reject } = Promise.withResolvers<Extraction>()
    const job = { page, resolve, reject }
    const leave = (): void => {
      const at = this.#waiting.indexOf(job)
      if (at >= 0) this.#waiting.splice(at, 1)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    this.#waiting.push(job)
    this.#next()
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const threads = [...this.#threads]
    for (const job of [...this.#waiting.splice(0), ...threads.flatMap(({ job }) => job ?? [])])
      job.reject(new Error('extraction is closed'))
    this.#threads.clear()
    for (const { timer } of threads) clearTimeout(timer)
    await Promise.all(threads.map(async ({ worker }) => await worker.terminate()))
  }

  #next(): void {
    while (this.#waiting.length > 0 && !this.#closed) {
      const idle = [...this.#threads].find(({ job }) => job === undefined)
      if (idle === undefined && this.#threads.size >= this.#options.threads) return
      const job = this.#waiting.shift()
      if (job !== undefined) this.#give(idle ?? this.#spawn(), job)
    }
  }

  #give(thread: Thread, job: Job): void {
    thread.job = job
    const { pageMsMax } = this.#options
    thread.timer = setTimeout(() => this.#lose(thread, `the page took longer than ${pageMsMax} ms to read`), pageMsMax)
    // Text is all that is read where there is text: the bytes need not travel. Else a copy goes, for they may be part of a larger buffer.
    const body = job.page.text === undefined ? new Uint8Array(job.page.body) : new Uint8Array()
    thread.worker.postMessage({ ...job.page, body }, [body.buffer])
  }

  #spawn(): Thread {
    const { thread: file, heapMbMax } = this.#options
    const worker = new Worker(file ?? new URL('./extract-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax ?? HEAP_MB_MAX },
    })
    const thread: Thread = { worker, job: undefined, timer: undefined }
    worker.on('message', (extraction: Extraction) => this.#settle(thread, extraction))
    worker.on('error', (error: Error) => this.#lose(thread, `the page ended its thread: ${error.message}`))
    worker.on('exit', (code) => this.#lose(thread, `the page ended its thread with ${code}`))
    this.#threads.add(thread)
    return thread
  }

  #settle(thread: Thread, extraction: Extraction): void {
    const { job } = thread
    clearTimeout(thread.timer)
    thread.job = undefined
    job?.resolve(extraction)
    this.#next()
  }

  #lose(thread: Thread, reason: string): void {
    if (!this.#threads.delete(thread)) return
    void thread.worker.terminate()
    this.#settle(thread, { kind: 'none', reason })
  }
}
