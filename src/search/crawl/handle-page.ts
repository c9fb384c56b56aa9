import type { Answer } from '../../lib/net/guarded-fetch.ts'
import { findHeader, findHeaders } from '../../lib/net/headers.ts'
import { registrableDomain } from '../../lib/url/host.ts'
import { readCapture } from '../../lib/warc/read-capture.ts'
import type { CopyPlace, PageDocument } from '../document.ts'
import { applyHints } from './apply-hints.ts'
import { decodeText } from './charset.ts'
import type { FetchedPage } from './crawl-types.ts'
import { ROBOTS_TOKEN } from './fetch-page.ts'
import type { Item, NewItem } from './frontier.ts'
import { findHeadLinks } from './head-links.ts'
import { readableKind } from './page-kind.ts'
import { readRobotsTags } from './robots-tags.ts'
import { finishItem, itemFor, type Run } from './run-state.ts'
import type { SitemapHints } from './sitemaps.ts'
import type { KnownPage } from './site-memory.ts'
import { storeAnswer } from './store-answer.ts'

/** Higher is asked first; a page's depth takes away. */
const PRIORITY = { canonical: 60, feedEntry: 55, link: 50, feed: 80 } as const
const DEPTH_COST = 5

/** 200: store, extract, keep, and queue what it links to. */
export async function handlePage(run: Run, item: Item, answer: Answer, known: KnownPage | undefined): Promise<void> {
  const at = run.deps.clock.now()
  const stored = await storeAnswer(run.warc, answer, known, at)
  const fresh: CopyPlace = { file: stored.file, offset: stored.offset, private: answer.private }
  const place = stored.unchanged && known?.place !== undefined ? known.place : fresh
  const etag = findHeader(answer.headers, 'etag')
  const lastModified = findHeader(answer.headers, 'last-modified')
  run.frontier.sites.savePage(item.url, answer.status, {
    firstSeenAt: known?.firstSeenAt ?? at,
    fetchedAt: at,
    digest: stored.digest,
    place,
    storedAt: stored.unchanged && known?.storedAt !== undefined ? known.storedAt : at,
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
  })
  await readPage(run, item, { answer, place, at, firstSeenAt: known?.firstSeenAt ?? at })
}

/** 304: the bytes we have are read again, so that links are followed and the time of the visit is told. */
export async function handleUnchanged(run: Run, item: Item, answer: Answer, known: KnownPage): Promise<void> {
  const at = run.deps.clock.now()
  await storeAnswer(run.warc, answer, known, at)
  const copy = known.place === undefined ? undefined : await readCapture(`${run.deps.folder}/warc`, known.place)
  if (copy === undefined || known.place === undefined) {
    // Our copy is lost: ask again without conditions.
    run.frontier.sites.savePage(item.url, 0, { firstSeenAt: known.firstSeenAt, fetchedAt: known.fetchedAt })
    run.frontier.retry(item)
    run.line.add(item.host, 1, () => run.frontier.sites.host(item.host))
    return
  }
  run.frontier.sites.savePage(item.url, 304, { ...known, fetchedAt: at })
  // The 304 may carry newer X-Robots-Tag lines; the type is the stored one's.
  const own = answer.headers.filter(([name]) => name.toLowerCase() !== 'content-type')
  const headers: Answer['headers'] = [['Content-Type', copy.contentType], ...own]
  const whole: Answer = { ...answer, headers, decoded: copy.body }
  await readPage(run, item, { answer: whole, place: known.place, at, firstSeenAt: known.firstSeenAt })
}

type Seen = { answer: Answer; place: CopyPlace; at: number; firstSeenAt: number }

async function readPage(run: Run, item: Item, seen: Seen): Promise<void> {
  const kind = readableKind(seen.answer)
  if (kind === undefined || kind === 'xml') return finishItem(run, item, 'no_page')
  const page = pageOf(item, seen, kind !== 'pdf')
  const extraction = await run.deps.extract(page, run.signal).catch((error: unknown) => ({
    kind: 'none' as const,
    reason: error instanceof Error ? error.message : String(error),
  }))
  // What is left here waits again when the run is gone on with.
  if (run.signal.aborted) return
  if (extraction.kind === 'none') {
    run.deps.log.warn('page_not_extracted', { url: item.url, reason: extraction.reason })
    return finishItem(run, item, 'failed')
  }
  const wishes = readRobotsTags(findHeaders(seen.answer.headers, 'x-robots-tag'), ROBOTS_TOKEN, seen.at)
  const hints = item.hints === undefined ? undefined : (JSON.parse(item.hints) as SitemapHints)
  const document: PageDocument = {
    ...applyHints(extraction.document, hints),
    noindex: extraction.document.noindex || wishes.noindex,
    nofollow: extraction.document.nofollow || wishes.nofollow,
  }
  if (document.noindex) await run.deps.remove(item.url)
  else await run.deps.keep(document, seen.place)
  const found = document.nofollow ? [] : linksOf(run, item, document, page.text)
  noteContent(run, item, document)
  finishItem(run, item, document.noindex ? 'noindex' : 'kept', found)
}

function pageOf(item: Item, seen: Seen, isText: boolean): FetchedPage {
  const contentType = findHeader(seen.answer.headers, 'content-type') ?? 'text/html'
  const { decoded: body, headers } = seen.answer
  return {
    url: item.url,
    contentType,
    headers,
    fetchedAt: seen.at,
    firstSeenAt: seen.firstSeenAt,
    body,
    ...(isText ? { text: decodeText(body, contentType).text } : {}),
  }
}

/** Pages of one pattern that say the same again and again are a trap: what waits of it is dropped. */
function noteContent(run: Run, item: Item, document: PageDocument): void {
  const lost = run.frontier.noteContent(run.id, item.pattern, document.simhash.join(':'))
  for (const host of lost) {
    const place = run.line.get(host)
    if (place !== undefined) place.waiting = Math.max(0, place.waiting - 1)
  }
  if (lost.length > 0) run.deps.log.warn('trap_found', { url: item.url, dropped: lost.length })
}

function linksOf(run: Run, item: Item, document: PageDocument, html: string | undefined): NewItem[] {
  const depth = item.depth + 1
  const rest = { kind: 'page' as const, depth, redirects: 0, priority: PRIORITY.link - depth * DEPTH_COST }
  const links = document.links
    .filter((link) => !link.nofollow)
    .flatMap((link) => itemFor(run, link.url, item.url, rest))
  const canonical =
    document.canonicalUrl === undefined || !isSameSite(document.canonicalUrl, item.url)
      ? []
      : itemFor(run, document.canonicalUrl, item.url, { ...rest, depth: item.depth, priority: PRIORITY.canonical })
  return [...canonical, ...(html === undefined ? [] : headItems(run, item, html, rest)), ...links]
}

/** What only the head names: feeds, other languages, where it sends its reader. */
function headItems(run: Run, item: Item, html: string, rest: Omit<NewItem, 'url'>): NewItem[] {
  const head = findHeadLinks(html)
  const base = URL.parse(head.base ?? '', item.url)?.href ?? item.url
  const refresh = head.refresh === undefined ? [] : itemFor(run, head.refresh, item.url, { ...rest, depth: item.depth })
  const feeds = head.feeds.flatMap((href) =>
    itemFor(run, href, base, { ...rest, kind: 'feed', priority: PRIORITY.feed }),
  )
  const pages = head.pages.flatMap((href) => itemFor(run, href, base, rest))
  return [...refresh, ...feeds, ...pages]
}

function isSameSite(a: string, b: string): boolean {
  const [hostA, hostB] = [URL.parse(a)?.hostname, URL.parse(b)?.hostname]
  return hostA !== undefined && hostB !== undefined && registrableDomain(hostA) === registrableDomain(hostB)
}
