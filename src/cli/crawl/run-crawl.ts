import { join } from 'node:path'
import type { Config } from '../../config/sections.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Exemption } from '../../lib/net/guard.ts'
import type { Log } from '../../lib/log.ts'
import type { CrawlEnd, CrawlJob, CrawlProgress } from '../../search/crawl/crawl-types.ts'
import { CrawlFolderBusy, createCrawler } from '../../search/crawl/create-crawler.ts'
import type { CopyPlace, PageDocument } from '../../search/document.ts'
import { DocumentsWriter } from '../../search/documents/documents-writer.ts'
import { ExtractPool } from '../../search/extract/pool.ts'
import { UserError } from '../command.ts'
import { openSearchOf, searchFolder } from '../search-parts.ts'

export type CrawlWish = {
  job: CrawlJob
  config: Config
  dataFolder: string
  /** A server runs on the folder: it indexes what is kept here. Else this process does. */
  served: boolean
  exempt: readonly Exemption[]
  log: Log
}

/** Keeps the pages of one crawl. Ends when they can be found, or will be by the server that runs. */
type Keeper = {
  keep(page: PageDocument, place: CopyPlace): void
  remove(url: string): void
  close(): Promise<void>
}

/** Joins fetching, reading and keeping for one job. An unfinished run of the same job goes on. */
export async function runCrawl(
  wish: CrawlWish,
  signal: AbortSignal,
  onProgress: (progress: CrawlProgress) => void,
): Promise<CrawlEnd> {
  const { config, dataFolder, log, exempt } = wish
  const keeper = await openKeeper(wish)
  const pool = new ExtractPool(config.extract)
  try {
    const crawler = await createCrawler({
      folder: searchFolder(dataFolder),
      options: config.crawler,
      extract: (page, leaving) => pool.extract(page, leaving),
      keep: (document, place) => keeper.keep(document, place),
      remove: (url) => keeper.remove(url),
      clock: systemClock,
      log,
      exempt,
    }).catch(toSentence)
    try {
      return await crawler.run(wish.job, signal, onProgress)
    } finally {
      await crawler.close()
    }
  } finally {
    await pool.close()
    await keeper.close()
  }
}

async function openKeeper({ served, dataFolder, config, log }: CrawlWish): Promise<Keeper> {
  if (served) {
    const documents = new DocumentsWriter(join(searchFolder(dataFolder), 'documents.db'))
    return {
      keep: (page, place) => void documents.keep(page, place),
      remove: (url) => void documents.remove(url),
      close: () => Promise.resolve(documents.close()),
    }
  }
  const search = await openSearchOf(dataFolder, config, log)
  return {
    keep: (page, place) => void search.keep(page, place),
    remove: (url) => void search.remove(url),
    async close() {
      await search.settled()
      await search.close()
    },
  }
}

function toSentence(error: unknown): never {
  throw error instanceof CrawlFolderBusy ? new UserError(error.message) : error
}
