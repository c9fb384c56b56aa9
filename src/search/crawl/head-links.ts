/** Where a page's head leads, as written (`base` is what it is relative to). */
export type HeadLinks = {
  base?: string
  /** `<link rel="alternate" type="application/rss+xml">` and its like. */
  feeds: string[]
  /** The page in other languages (`hreflang`), its next and previous part. */
  pages: string[]
  /** `<meta http-equiv="refresh">` within ten seconds. */
  refresh?: string
}

const HEAD_CHARACTERS = 65_536
const TAG = /<(link|meta|base)\s([^>]{1,2000})>/gi
const ATTRIBUTE = /([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi
const FEED_TYPE = /^application\/(?:rss\+xml|atom\+xml|feed\+json)\b/i
const FEEDS_MAX = 3
const PAGES_MAX = 100
const REFRESH_SECONDS_MAX = 10

/** By a few patterns over the first 64 KiB: extraction need not know what only a crawl asks. */
export function findHeadLinks(html: string): HeadLinks {
  const found: HeadLinks = { feeds: [], pages: [] }
  const head = html.slice(0, HEAD_CHARACTERS).replace(/<!--[\s\S]*?(?:-->|$)/g, '')
  for (const [, name = '', inner = ''] of head.matchAll(TAG)) {
    const attributes = attributesOf(inner)
    const href = attributes.get('href')
    if (name.toLowerCase() === 'meta') readMeta(found, attributes)
    else if (name.toLowerCase() === 'base') found.base ??= href ?? ''
    else if (href !== undefined) readLink(found, attributes, href)
  }
  return found
}

function readLink(found: HeadLinks, attributes: Map<string, string>, href: string): void {
  const rel = (attributes.get('rel') ?? '').toLowerCase().split(/\s+/)
  if (rel.includes('alternate') && FEED_TYPE.test(attributes.get('type') ?? '')) {
    if (found.feeds.length < FEEDS_MAX) found.feeds.push(href)
    return
  }
  const isLanguage = rel.includes('alternate') && attributes.has('hreflang')
  const isPage = isLanguage || rel.includes('next') || rel.includes('prev')
  if (isPage && found.pages.length < PAGES_MAX) found.pages.push(href)
}

function readMeta(found: HeadLinks, attributes: Map<string, string>): void {
  if (attributes.get('http-equiv')?.toLowerCase() !== 'refresh') return
  const content = /^\s*(\d+)[.\d]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(attributes.get('content') ?? '')
  const [, seconds, url] = content ?? []
  if (url !== undefined && Number(seconds) <= REFRESH_SECONDS_MAX) found.refresh ??= url.trim()
}

function attributesOf(inner: string): Map<string, string> {
  const pairs = [...inner.matchAll(ATTRIBUTE)].map(([, name = '', ...values]): [string, string] => {
    const value = values.find((one) => one !== undefined) ?? ''
    return [name.toLowerCase(), value.replaceAll('&amp;', '&')]
  })
  return new Map(pairs)
}
