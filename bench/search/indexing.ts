import { statSync } from 'node:fs'
import type { PageDocument } from '../../src/search/document.ts'
import { DocumentsReader } from '../../src/search/documents/documents-reader.ts'
import { DocumentsWriter } from '../../src/search/documents/documents-writer.ts'
import type { EngineChoice } from '../../src/search/index/open-engine.ts'
import { documentsPathOf, openLoop } from '../../test/support/local-search.ts'
import { readPages } from './load-pages.ts'

const BATCH = 64

export type Indexing = { pages: number; pagesPerCpuSecond: number; pagesPerSecond: number; cpuSeconds: number }

/**
 * Keeps extracted pages and indexes them, as the product does: row store, analysis, index, commits. The time of reading them from the
 * file is not counted: reading once more, alone, tells how much that is.
 */
export async function measureIndexing(
  file: string,
  folder: string,
  engine: EngineChoice,
  pagesMax: number,
): Promise<Indexing> {
  const reading = await measureCpu(async () => {
    for await (const _ of batches(file, pagesMax));
  })
  const documents = prepare(folder)
  const { loop, close } = openLoop(folder, engine, documents.reader)
  let pages = 0
  const working = await measureCpu(async () => {
    for await (const batch of batches(file, pagesMax)) {
      documents.writer.keepAll(batch.map((page) => ({ page })))
      pages += batch.length
      while (loop.step(0) === 'worked');
    }
    while (loop.step(0) !== 'idle');
    loop.commit(0, true)
    close()
  })
  documents.reader.close()
  documents.writer.close()
  return figures(pages, { cpu: working.cpu - reading.cpu, wall: working.wall - reading.wall })
}

/** The index alone, from the rows kept before: analysis and index. */
export async function measureRebuild(folder: string, engine: EngineChoice): Promise<Indexing> {
  const documents = new DocumentsReader(documentsPathOf(folder))
  const { loop, close } = openLoop(folder, engine, documents)
  const working = await measureCpu(async () => {
    while (loop.step(0) !== 'idle');
    loop.commit(0, true)
    close()
  })
  const pages = Number(documents.all('SELECT count(*) AS n FROM pages')[0]?.['n'])
  documents.close()
  return figures(pages, working)
}

function prepare(folder: string): { writer: DocumentsWriter; reader: DocumentsReader } {
  const writer = new DocumentsWriter(documentsPathOf(folder))
  return { writer, reader: new DocumentsReader(documentsPathOf(folder)) }
}

async function* batches(file: string, pagesMax: number): AsyncGenerator<PageDocument[]> {
  let batch: PageDocument[] = []
  for await (const page of readPages(file, pagesMax)) {
    batch.push(page)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Seconds of this process, all its threads together. */
async function measureCpu(work: () => Promise<void>): Promise<{ cpu: number; wall: number }> {
  const [before, began] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { cpu: (user + system) / 1e6, wall: (performance.now() - began) / 1000 }
}

function figures(pages: number, { cpu, wall }: { cpu: number; wall: number }): Indexing {
  return {
    pages,
    pagesPerCpuSecond: Math.round(pages / cpu),
    pagesPerSecond: Math.round(pages / wall),
    cpuSeconds: Math.round(cpu * 10) / 10,
  }
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
