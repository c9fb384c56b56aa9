import { decodeContent } from '../../lib/net/decode-content.ts'
import type { Answer } from '../../lib/net/guarded-fetch.ts'
import { findHeader } from '../../lib/net/headers.ts'
import { decodeText } from './charset.ts'
import { parseFeed } from './feeds.ts'
import type { Item, NewItem } from './frontier.ts'
import { finishItem, itemFor, type Run } from './run-state.ts'
import { parseSitemap, type SitemapPage } from './sitemaps.ts'
import { storeAnswer } from './store-answer.ts'

const PRIORITY = { sitemap: 90, sitemapPage: 40, recent: 8, feedEntry: 55 } as const
/** A sitemap may name sitemaps, those more; an index of indexes is not allowed, one is forgiven. */
const NESTING_MAX = 3
/** The sitemap protocol's limit of an unpacked file. */
const LIST_BYTES_MAX = 52_428_800
const RECENT_MS = 30 * 86_400_000

/** A sitemap or feed: its URLs join the queue with what it tells of them. */
export async function handleList(run: Run, item: Item, answer: Answer): Promise<void> {
  await storeAnswer(run.warc, answer, undefined, run.deps.clock.now())
  const text = await textOf(answer)
  const found =
    text === undefined ? [] : item.kind === 'feed' ? fromFeed(run, item, text) : fromSitemap(run, item, text)
  run.deps.log.info('list_read', { url: item.url, kind: item.kind, found: found.length })
  finishItem(run, item, 'done', found)
}

async function textOf(answer: Answer): Promise<string | undefined> {
  const isGzip = answer.decoded[0] === 0x1f && answer.decoded[1] === 0x8b
  const unpacked = isGzip ? await decodeContent(answer.decoded, 'gzip', LIST_BYTES_MAX) : undefined
  if (unpacked?.kind === 'failed') return undefined
  const bytes = unpacked?.bytes ?? answer.decoded
  return decodeText(bytes, isGzip ? '' : (findHeader(answer.headers, 'content-type') ?? '')).text
}

function fromSitemap(run: Run, item: Item, text: string): NewItem[] {
  const { pages, sitemaps } = parseSitemap(text)
  const nested = item.redirects >= NESTING_MAX ? [] : sitemaps
  const now = run.deps.clock.now()
  return [
    ...nested.flatMap((url) =>
      // `redirects` counts how deep sitemaps stand in one another.
      itemFor(run, url, item.url, {
        kind: 'sitemap',
        priority: PRIORITY.sitemap,
        depth: item.depth,
        redirects: item.redirects + 1,
      }),
    ),
    ...pages.flatMap((page) => itemFor(run, page.url, item.url, listedItem(page, item.depth + 1, now))),
    ...(pages.length === 0 && sitemaps.length === 0 ? fromFeed(run, item, text) : []),
  ]
}

function listedItem(page: SitemapPage, depth: number, now: number): Omit<NewItem, 'url'> {
  const recent = page.lastModifiedAt !== undefined && now - page.lastModifiedAt < RECENT_MS
  const priority = PRIORITY.sitemapPage + (recent ? PRIORITY.recent : 0)
  const hints = page.hints === undefined ? {} : { hints: JSON.stringify(page.hints) }
  return { kind: 'page', priority, depth, redirects: 0, ...hints }
}

function fromFeed(run: Run, item: Item, text: string): NewItem[] {
  return parseFeed(text).flatMap((entry) => {
    const hints =
      entry.publishedAt === undefined
        ? {}
        : { hints: JSON.stringify({ images: [], videos: [], publishedAt: entry.publishedAt }) }
    // A feed already stands a link away from the page that names it.
    const depth = item.kind === 'feed' ? item.depth : item.depth + 1
    return itemFor(run, entry.url, item.url, {
      kind: 'page',
      priority: PRIORITY.feedEntry,
      depth,
      redirects: 0,
      ...hints,
    })
  })
}
