import { DocumentsReader } from '../documents/documents-reader.ts'
import { Generations } from '../index/generations.ts'
import { openEngine } from '../index/open-engine.ts'
import { EMPTY_HITS, type IndexEngine, type IndexReader, type Vertical } from '../index/search-index.ts'
import type { SearchAnswer, SearchRequest } from '../search.ts'
import { deepen, listCandidates, needsDepth, whyOf, type CandidateList } from './candidate-list.ts'
import { planQuery } from './match.ts'
import { parseQuery } from './parse.ts'
import type { IndexCounts, QueryStart } from './query-messages.ts'
import { showImages, showPages, showVideos } from './show.ts'
import { Signals } from './signals.ts'

/** Answers before there is an index. */
const EMPTY_READER: IndexReader = {
  reload() {},
  search: () => EMPTY_HITS,
  docFrequency: () => 0,
  watermark: () => 0,
  stats: () => ({ docs: 0, segments: 0, bytes: 0 }),
  warm: () => false,
  close() {},
}

/** One thread's way to answer: parse, match, rank, show. Not safe to share between threads. */
export class Searcher {
  readonly #start: QueryStart
  readonly #engine: IndexEngine
  readonly #generations: Generations
  readonly #documents: DocumentsReader
  readonly #signals = new Signals()
  #readers: Record<Vertical, IndexReader> = { web: EMPTY_READER, images: EMPTY_READER, videos: EMPTY_READER }
  #generation = 0

  constructor(start: QueryStart) {
    this.#start = start
    this.#engine = openEngine(start.engine)
    this.#generations = new Generations(start.indexFolder)
    this.#documents = new DocumentsReader(start.documentsPath)
  }

  /** Sees the newest commit of a generation. */
  reload(generation: number): void {
    this.#signals.follow(this.#documents)
    if (generation === this.#generation) {
      for (const reader of Object.values(this.#readers)) reader.reload()
      return
    }
    const open = (vertical: Vertical): IndexReader =>
      this.#engine.openReader(this.#generations.folder(generation, vertical))
    const readers = { web: open('web'), images: open('images'), videos: open('videos') }
    for (const reader of Object.values(this.#readers)) reader.close()
    this.#readers = readers
    this.#generation = generation
  }

  search(request: SearchRequest, known: CandidateList | undefined, msMax: number, nowMs: number): Found {
    const began = performance.now()
    const late = (): boolean => performance.now() - began > msMax
    const find = (): CandidateList =>
      listCandidates(request, {
        readers: this.#readers,
        documents: this.#documents,
        signals: this.#signals,
        nowS: nowMs / 1000,
        safe: this.#start.safe,
        late,
      })
    const enough = known !== undefined && (known.deep || !needsDepth(request))
    const list = known === undefined ? find() : enough ? known : deepen(known, find())
    return { list, answer: this.#show(request, list, performance.now() - began) }
  }

  #show(request: SearchRequest, list: CandidateList, tookMs: number): SearchAnswer {
    const parsed = parseQuery(request.query)
    const { terms } = planQuery(parsed)
    const [from, to] = [request.offset, request.offset + request.count]
    const shown = Array.from(list.pages.ids.slice(from, to), (id, i) => {
      const why = whyOf(list.pages, from + i)
      return { id, why, navigational: why.home === 1, first: from + i === 0 }
    })
    const showing = { documents: this.#documents, terms, text: parsed.text, withoutSummary: request.withoutSummary }
    return {
      pages: { total: list.pages.total, someRemoved: list.pages.someRemoved, results: showPages(shown, showing) },
      images: { total: list.images.total, results: showImages(list.images.keys.slice(from, to), this.#documents) },
      videos: { total: list.videos.total, results: showVideos(list.videos.keys.slice(from, to), this.#documents) },
      partial: list.partial,
      tookMs,
    }
  }

  /** Does a little work ahead; false when there is none left. */
  warm(): boolean {
    return Object.values(this.#readers).some((reader) => reader.warm())
  }

  count(): IndexCounts {
    const { web, images, videos } = this.#readers
    const [pages, pictures, films] = [web.stats(), images.stats(), videos.stats()]
    const bytes = pages.bytes + pictures.bytes + films.bytes
    return { pages: pages.docs, images: pictures.docs, videos: films.docs, bytes, watermark: web.watermark() }
  }

  close(): void {
    for (const reader of Object.values(this.#readers)) reader.close()
    this.#documents.close()
  }
}

type Found = { list: CandidateList; answer: SearchAnswer }
