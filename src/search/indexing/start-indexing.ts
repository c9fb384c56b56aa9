import { DocumentsReader } from '../documents/documents-reader.ts'
import { DocumentsWriter } from '../documents/documents-writer.ts'
import { Generations } from '../index/generations.ts'
import { formatOf, openEngine } from '../index/open-engine.ts'
import type { IndexEngine } from '../index/search-index.ts'
import { IndexLoop } from './index-loop.ts'
import type { FromIndexer, IndexingStart } from './indexing-messages.ts'
import { GraphClock } from './graph-clock.ts'
import { updateGraph } from './update-graph.ts'
import { VerticalWriters } from './vertical-writers.ts'
import { WriterLock } from './writer-lock.ts'

/** Other processes may keep pages too: the documents are looked at this often without being woken. */
const POLL_MS = 500
const LOCK_POLL_MS = 1_000
const RETRY_MS = 5_000
const FAILURES_MAX = 3

export type Indexing = { wake(): void; rebuild(): void; close(): Promise<void> }

/** Runs until closed: waits for the lock, opens or builds a generation, follows the documents, looks at the links when there is time. */
export function startIndexing(start: IndexingStart, tell: (event: FromIndexer) => void): Indexing {
  const indexing = new IndexingRun(start, tell)
  const ended = indexing.runUntilStopped()
  return {
    wake: () => indexing.wake(),
    rebuild: () => indexing.askRebuild(),
    close: async () => {
      indexing.stop()
      await ended
    },
  }
}

type Open = { number: number; writers: VerticalWriters; loop: IndexLoop; building: boolean }

class IndexingRun {
  readonly #start: IndexingStart
  readonly #tell: (event: FromIndexer) => void
  readonly #engine: IndexEngine
  readonly #generations: Generations
  #stopped = false
  #rebuild = false
  #failures = 0
  #wake: () => void = () => {}

  constructor(start: IndexingStart, tell: (event: FromIndexer) => void) {
    this.#start = start
    this.#tell = tell
    this.#engine = openEngine(start.engine)
    this.#generations = new Generations(start.indexFolder)
  }

  wake(): void {
    this.#wake()
  }

  askRebuild(): void {
    this.#rebuild = true
    this.#wake()
  }

  stop(): void {
    this.#stopped = true
    this.#wake()
  }

  /** What fails (a full disk, a damaged file) is told and tried again: nothing kept is lost meanwhile. */
  async runUntilStopped(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#run()
      } catch (error) {
        this.#tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
        // It goes on failing where it stands: a new generation begins with nothing of the old one.
        if (++this.#failures % FAILURES_MAX === 0) this.#rebuild = true
        await this.#pause(RETRY_MS)
      }
    }
  }

  async #run(): Promise<void> {
    const lock = new WriterLock(this.#start.indexFolder)
    while (!this.#stopped && !lock.take()) {
      this.#tell({ kind: 'waiting', generation: this.#generations.current()?.number })
      await this.#pause(LOCK_POLL_MS)
    }
    if (this.#stopped) return lock.release()
    const documents = new DocumentsReader(this.#start.documentsPath)
    const keeper = new DocumentsWriter(this.#start.documentsPath)
    try {
      await this.#follow(documents, keeper)
    } finally {
      keeper.close()
      documents.close()
      lock.release()
    }
  }

  async #follow(documents: DocumentsReader, keeper: DocumentsWriter): Promise<void> {
    let open = this.#openCurrent(documents)
    const graph = new GraphClock(documents)
    try {
      while (!this.#stopped) {
        if (this.#rebuild) open = this.#begin(open, documents)
        const result = open.loop.step(performance.now())
        if (result === 'committed') {
          this.#failures = 0
          this.#told(open)
        }
        if (result !== 'idle') {
          await this.#breathe()
          continue
        }
        if (open.building) this.#promote(open)
        if (!open.loop.pending) this.#tell({ kind: 'idle', watermark: open.loop.committed })
        if (!open.loop.pending && graph.due(performance.now())) this.#lookAtLinks(documents, keeper, graph)
        else await this.#pause(open.loop.pending ? 50 : POLL_MS)
      }
      if (!open.building) open.loop.commit(performance.now(), true)
    } finally {
      open.writers.close()
    }
  }

  #lookAtLinks(documents: DocumentsReader, keeper: DocumentsWriter, graph: GraphClock): void {
    const began = performance.now()
    const pages = updateGraph(documents, keeper)
    graph.done(performance.now())
    this.#tell({ kind: 'graph', pages, ms: Math.round(performance.now() - began) })
  }

  #openCurrent(documents: DocumentsReader): Open {
    const current = this.#generations.current()
    if (current !== undefined && current.format === formatOf(this.#engine)) {
      try {
        const open = this.#open(current.number, documents, false)
        this.#generations.removeBefore(current.number)
        this.#told(open)
        return open
      } catch (error) {
        // A damaged index is no loss: it is derived from the documents, and built from them again.
        this.#tell({ kind: 'failed', message: `generation ${current.number}: ${String(error)}; building it anew` })
      }
    }
    // Nothing can answer yet: the new generation does so while it grows.
    const open = this.#open(this.#generations.begin(), documents, true)
    this.#promote(open)
    return open
  }

  #open(number: number, documents: DocumentsReader, building: boolean): Open {
    const writers = new VerticalWriters(this.#engine, this.#generations.folders(number))
    try {
      const loop = new IndexLoop(documents, writers, this.#start.commit)
      if (loop.committed > documents.lastSeq()) throw new Error('the index is ahead of the documents')
      return { number, writers, loop, building }
    } catch (error) {
      writers.close()
      throw error
    }
  }

  #begin(open: Open, documents: DocumentsReader): Open {
    this.#rebuild = false
    open.writers.close()
    if (open.building) this.#generations.remove(open.number)
    return this.#open(this.#generations.begin(), documents, true)
  }

  /** The new generation holds all that is kept: it answers from here on, and the older ones go. */
  #promote(open: Open): void {
    open.loop.commit(performance.now(), true)
    this.#generations.promote({ number: open.number, format: formatOf(this.#engine) })
    open.building = false
    this.#tell({ kind: 'promoted', generation: open.number, watermark: open.loop.committed })
    this.#generations.removeBefore(open.number)
  }

  #told(open: Open): void {
    if (open.building) return
    this.#tell({ kind: 'committed', generation: open.number, watermark: open.loop.committed })
  }

  async #breathe(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve))
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = () => {}
  }
}
