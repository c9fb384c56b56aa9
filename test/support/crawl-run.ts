import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as setTimer } from 'node:timers/promises'
import { silentLog } from '../../src/lib/log.ts'
import type {
  CrawlEnd,
  Crawler,
  CrawlerDeps,
  CrawlJob,
  Extraction,
  FetchedPage,
} from '../../src/search/crawl/crawl-types.ts'
import { createCrawler } from '../../src/search/crawl/create-crawler.ts'
import type { CopyPlace, PageDocument } from '../../src/search/document.ts'
import { startSites, type SitePaths, type Sites } from './crawl-sites.ts'

/** A clock whose days pass as soon as somebody sleeps and no site is answering; responses take no time at all. */
export class CrawlClock {
  #now = Date.UTC(2026, 10, 21, 12)
  /** Requests being answered. */
  answering = (): number => 0
  now(): number {
    return this.#now
  }
  monotonicMs(): number {
    return performance.now()
  }
  advance(ms: number): void {
    this.#now += ms
  }
  sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    do await setTimer(2)
    while (!signal.aborted && this.answering() > 0)
    if (!signal.aborted) this.#now += ms
  }
}

export type Crawled = {
  clock: CrawlClock
  sites: Sites
  folder: string
  crawler: Crawler
  kept: Map<string, { document: PageDocument; place: CopyPlace }>
  removed: string[]
  run(job?: Partial<CrawlJob>, signal?: AbortSignal): Promise<Extract<CrawlEnd, { kind: 'ended' }>>
  /** The same folder and sites with a crawler started anew. */
  reopen(): Promise<void>
  close(): Promise<void>
}

export const CRAWLER_OPTIONS: CrawlerDeps['options'] = {
  contact: 'https://operator.example/bot',
  delayMs: 1000,
  concurrency: 16,
  pageBytesMax: 1_048_576,
  hostPagesMax: 100_000,
  allowPrivate: true,
  warcBytesMax: 1_000_000_000,
}

/** A crawler over virtual hosts in a folder of its own; the seed is the first host's front page. */
export async function startCrawl(hosts: Record<string, SitePaths>, more: Partial<CrawlerDeps> = {}): Promise<Crawled> {
  const clock = new CrawlClock()
  const sites = await startSites(hosts, () => clock.now())
  clock.answering = sites.answering
  const folder = mkdtempSync(join(tmpdir(), 'unmask-crawl-'))
  const kept: Crawled['kept'] = new Map()
  const removed: string[] = []
  const deps: CrawlerDeps = {
    folder,
    options: CRAWLER_OPTIONS,
    extract: async (page) => extractSimply(page),
    keep: (document, place) => void kept.set(document.url, { document, place }),
    remove: (url) => {
      removed.push(url)
      kept.delete(url)
    },
    clock,
    log: silentLog,
    sleep: clock.sleep,
    resolve: sites.resolve,
    ...more,
  }
  const crawled: Crawled = {
    clock,
    sites,
    folder,
    kept,
    removed,
    crawler: await createCrawler(deps),
    async run(job = {}, signal = new AbortController().signal) {
      const seeds = [`http://${Object.keys(hosts)[0]}/`]
      const whole: CrawlJob = { seeds, pagesMax: 1000, depthMax: 20, scope: 'host', ...job }
      const end = await crawled.crawler.run(whole, signal, () => undefined)
      if (end.kind === 'refused') throw new Error(end.sentence)
      return end
    },
    async reopen() {
      await crawled.crawler.close()
      crawled.crawler = await createCrawler(deps)
    },
    async close() {
      await crawled.crawler.close()
      await sites.close()
      rmSync(folder, { recursive: true })
    },
  }
  return crawled
}

/** `startCrawl`, closed when the test ends. */
export async function crawling(t: TestContext, ...parts: Parameters<typeof startCrawl>): Promise<Crawled> {
  const crawled = await startCrawl(...parts)
  t.after(() => crawled.close())
  return crawled
}

export function keptPaths(crawled: Crawled): string[] {
  return [...crawled.kept.keys()].map((url) => new URL(url).pathname).toSorted()
}

/** Title, links and robots wishes of a page by a few patterns: enough to crawl by. */
export function extractSimply(page: FetchedPage): Extraction {
  const { url, contentType, fetchedAt, firstSeenAt, text = '' } = page
  const hash = createHash('sha256')
    .update(text.replace(/<[^>]*>/g, ' '))
    .digest()
  const robots = /<meta name="robots" content="([^"]*)"/i.exec(text)?.[1] ?? ''
  const canonicalUrl = /<link rel="canonical" href="([^"]*)"/i.exec(text)?.[1]
  const links = [...text.matchAll(/<a ([^>]*)href="([^"]*)"/gi)].map(([, attributes = '', href = '']) => ({
    url: URL.parse(href, url)?.href ?? '',
    anchor: '',
    nofollow: attributes.includes('nofollow'),
    navigation: false,
  }))
  const document: PageDocument = {
    url,
    host: new URL(url).hostname,
    fetchedAt,
    firstSeenAt,
    contentType,
    pageType: 'other',
    title: /<title>([^<]*)/i.exec(text)?.[1] ?? '',
    text: text.replace(/<[^>]*>/g, ' ').trim(),
    description: '',
    headings: [],
    links,
    images: [],
    videos: [],
    adult: 0,
    noindex: robots.includes('noindex'),
    nofollow: robots.includes('nofollow'),
    simhash: [hash.readUInt32BE(0), hash.readUInt32BE(4)],
    ...(canonicalUrl === undefined ? {} : { canonicalUrl }),
  }
  return { kind: 'document', document }
}
