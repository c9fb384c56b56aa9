import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { CopyPlace, PageDocument } from './document.ts'
import { DocumentsReader } from './documents/documents-reader.ts'
import { DocumentsWriter, type Kept } from './documents/documents-writer.ts'
import { openEngine } from './index/open-engine.ts'
import { Indexer } from './indexing/indexer.ts'
import { ListCache } from './query/list-cache.ts'
import { QueryPool } from './query/query-pool.ts'
import type { SearchOptions } from './options.ts'
import type { Search, SearchAnswer, SearchRequest, StoredCopy } from './search.ts'

export type SearchDeps = {
  /** `<data>/search`. */
  folder: string
  options: Omit<SearchOptions, 'picturesBytesMax'>
  clock: Clock
  log: Log
  /** Reads the bytes that stand at a place of the WARC folder. */
  readCopy: (place: CopyPlace) => Promise<StoredCopy | undefined>
}

/** Search, and what the crawler puts into it. */
export type OpenSearch = Search & {
  /** Keeps a page; it can be found within seconds. Answers its id. */
  keep(page: PageDocument, place?: CopyPlace): number
  keepAll(pages: Kept[]): number[]
  remove(url: string): boolean
  /** Everything kept before this call can be found when the promise is kept. */
  settled(): Promise<void>
  /** Builds the index anew from the documents, beside the old one, which answers until it is done. */
  rebuild(): Promise<void>
}

/** Opens or makes the search of a data folder; several processes may, one of them indexes. Throws if the documents cannot be read. */
export async function openSearch(deps: SearchDeps): Promise<OpenSearch> {
  mkdirSync(deps.folder, { recursive: true })
  const search = new RunningSearch(deps)
  await search.begin()
  return search
}

class RunningSearch implements OpenSearch {
  readonly #deps: SearchDeps
  readonly #writer: DocumentsWriter
  readonly #reader: DocumentsReader
  readonly #pool: QueryPool
  readonly #indexer: Indexer
  readonly #lists = new ListCache()
  readonly #engineName: string

  constructor(deps: SearchDeps) {
    const { folder, options } = deps
    const documentsPath = join(folder, 'documents.db')
    const indexFolder = join(folder, 'index')
    this.#deps = deps
    this.#engineName = openEngine(options.engine).name
    this.#writer = new DocumentsWriter(documentsPath)
    this.#reader = new DocumentsReader(documentsPath)
    this.#pool = new QueryPool(
      { documentsPath, indexFolder, engine: options.engine, safe: options.safe },
      options.threads,
    )
    const commit = { everyMs: options.commitEveryMs, everyPages: options.commitEveryPages }
    this.#indexer = new Indexer(
      { documentsPath, indexFolder, engine: options.engine, commit },
      {
        log: deps.log,
        seen: async (generation) => await this.#pool.reload(generation),
      },
    )
  }

  async begin(): Promise<void> {
    await this.#indexer.begun
  }

  async search(request: SearchRequest, signal: AbortSignal): Promise<SearchAnswer> {
    signal.throwIfAborted()
    const nowMs = this.#deps.clock.now()
    const msMax = request.deadlineAt - nowMs
    const watermark = this.#indexer.watermark
    const known = this.#lists.find(request, watermark, nowMs)
    const found = this.#pool.search(request, known, { msMax, nowMs }).then(({ answer, list }) => {
      // Also when it comes too late: who asks again is answered at once.
      if (known === undefined || known.deep !== list.deep) this.#lists.put(request, list, watermark, nowMs)
      return answer
    })
    return (await withDeadline(found, msMax, signal)) ?? emptyAnswer(msMax)
  }

  async storedCopy(copyId: string): Promise<StoredCopy | undefined> {
    if (!/^[1-9]\d{0,9}$/.test(copyId)) return undefined
    const page = this.#reader.findPage(Number(copyId))
    return page === undefined || page.gone || page.copy === undefined ? undefined : await this.#deps.readCopy(page.copy)
  }

  keep(page: PageDocument, place?: CopyPlace): number {
    const id = this.#writer.keep(page, place)
    this.#indexer.wake()
    return id
  }

  keepAll(pages: Kept[]): number[] {
    const ids = this.#writer.keepAll(pages)
    this.#indexer.wake()
    return ids
  }

  remove(url: string): boolean {
    const removed = this.#writer.remove(url)
    this.#indexer.wake()
    return removed
  }

  async settled(): Promise<void> {
    await this.#indexer.settled(this.#reader.lastSeq())
  }

  async rebuild(): Promise<void> {
    await this.#indexer.rebuild()
  }

  stats(): ReturnType<Search['stats']> {
    const privatePages = this.#reader.all('SELECT count(*) AS n FROM pages WHERE private = 1 AND removed = 0')
    return {
      ...this.#pool.counts,
      engine: this.#engineName,
      watermark: this.#indexer.watermark,
      privatePages: Number(privatePages[0]?.['n'] ?? 0),
    }
  }

  async close(): Promise<void> {
    await this.#indexer.close()
    await this.#pool.close()
    this.#reader.close()
    this.#writer.close()
  }
}

/** Undefined if the time is over first. What comes later is dropped. */
async function withDeadline<Value>(
  work: Promise<Value>,
  msMax: number,
  signal: AbortSignal,
): Promise<Value | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Value | undefined>()
  const timer = setTimeout(() => resolve(undefined), Math.max(0, Math.min(msMax, 2 ** 31 - 1)))
  const leave = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', leave, { once: true })
  work.then(resolve, reject)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}

function emptyAnswer(tookMs: number): SearchAnswer {
  const nothing = { total: 0, results: [] }
  return {
    pages: { ...nothing, someRemoved: false },
    images: nothing,
    videos: nothing,
    partial: true,
    tookMs: Math.max(0, tookMs),
  }
}
