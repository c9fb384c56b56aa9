import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PageDocument } from '../../src/search/document.ts'
import { DocumentsReader } from '../../src/search/documents/documents-reader.ts'
import { DocumentsWriter } from '../../src/search/documents/documents-writer.ts'
import { Generations } from '../../src/search/index/generations.ts'
import { formatOf, openEngine, type EngineChoice } from '../../src/search/index/open-engine.ts'
import { IndexLoop } from '../../src/search/indexing/index-loop.ts'
import { updateGraph } from '../../src/search/indexing/update-graph.ts'
import { VerticalWriters } from '../../src/search/indexing/vertical-writers.ts'
import { Searcher } from '../../src/search/query/searcher.ts'
import type { SearchAnswer, SearchRequest } from '../../src/search/search.ts'

const COMMIT = { everyMs: Infinity, everyPages: 10_000 }

export function documentsPathOf(folder: string): string {
  return join(folder, 'documents.db')
}

export function indexFolderOf(folder: string, choice: EngineChoice): string {
  return join(folder, `index-${choice}`)
}

/** Runs `work` in a folder that is gone afterwards. */
export async function inNewFolder<Result>(work: (folder: string) => Result | Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-search-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export function keepPages(folder: string, pages: PageDocument[]): void {
  const documents = new DocumentsWriter(documentsPathOf(folder))
  documents.keepAll(pages.map((page) => ({ page })))
  documents.close()
}

/** Builds generation 1 of what is kept in `folder`, in this thread; `graph`: with what links say. */
export function buildIndex(folder: string, choice: EngineChoice, graph: boolean): void {
  if (graph) rankLinks(folder)
  const documents = new DocumentsReader(documentsPathOf(folder))
  const { loop, close } = openLoop(folder, choice, documents)
  while (loop.step(0) !== 'idle');
  loop.commit(0, true)
  close()
  documents.close()
}

export function rankLinks(folder: string): void {
  const documents = new DocumentsReader(documentsPathOf(folder))
  const keeper = new DocumentsWriter(documentsPathOf(folder))
  updateGraph(documents, keeper)
  keeper.close()
  documents.close()
}

/** Generation 1 and what brings it up to date. */
export function openLoop(
  folder: string,
  choice: EngineChoice,
  documents: DocumentsReader,
): { loop: IndexLoop; close: () => void } {
  const engine = openEngine(choice)
  const generations = new Generations(indexFolderOf(folder, choice))
  const writers = new VerticalWriters(engine, generations.folders(1))
  if (generations.current() === undefined) generations.promote({ number: 1, format: formatOf(engine) })
  return { loop: new IndexLoop(documents, writers, COMMIT), close: () => writers.close() }
}

/** The product's way from a query to its answer, in this thread. */
export function openSearcher(folder: string, choice: EngineChoice): Searcher {
  const start = { documentsPath: documentsPathOf(folder), indexFolder: indexFolderOf(folder, choice) }
  const searcher = new Searcher({ ...start, engine: choice, safe: true })
  searcher.reload(1)
  while (searcher.warm());
  return searcher
}

/** A request for the first ten web pages. */
export function requestOf(query: string, more: Partial<SearchRequest> = {}): SearchRequest {
  return {
    query,
    count: 10,
    offset: 0,
    include: [],
    exclude: [],
    wants: { pages: true, images: false, videos: false },
    withoutSummary: true,
    deadlineAt: Infinity,
    ...more,
  }
}

export function askPages(searcher: Searcher, query: string, more: Partial<SearchRequest> = {}): SearchAnswer {
  return searcher.search(requestOf(query, more), undefined, Infinity, Date.UTC(2026, 10, 1)).answer
}

/** Keeps and indexes `pages` in a folder of their own, and opens a searcher on it. */
export function openFolder(pages: PageDocument[], choice: EngineChoice): { searcher: Searcher; close: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'local-search-'))
  keepPages(folder, pages)
  buildIndex(folder, choice, true)
  const searcher = openSearcher(folder, choice)
  const close = (): void => {
    searcher.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { searcher, close }
}
