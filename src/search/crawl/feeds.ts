import { childText, readXml, type XmlElement } from './xml.ts'

export type FeedEntry = {
  /** As written, perhaps relative to the feed. */
  url: string
  title: string
  /** Epoch ms. */
  publishedAt?: number
}

const ENTRIES_MAX = 2000

/** The entries of an RSS (0.9x, 1.0, 2.0), Atom (RFC 4287) or JSON feed (version 1); none where the text is no feed. */
export function parseFeed(text: string): FeedEntry[] {
  const start = text.trimStart()
  if (start.startsWith('{')) return readJson(start)
  const entries: FeedEntry[] = []
  readXml(text, new Set(['item', 'entry']), (element) => {
    const url = linkOf(element)
    if (url === undefined || entries.length >= ENTRIES_MAX) return
    const time = ['published', 'pubdate', 'date', 'updated'].map((name) => childText(element, name)).find(Boolean)
    entries.push(entryOf(url, childText(element, 'title'), time))
  })
  return entries
}

/** Atom: `<link rel="alternate" href>`, without `rel` too; RSS: `<link>`, else a `<guid>` that is a URL. */
function linkOf(element: XmlElement): string | undefined {
  const links = element.children.filter((child) => child.name === 'link' && child.prefix !== 'atom')
  const alternate = links.find((link) => ['alternate', undefined].includes(link.attributes.get('rel')))
  const href = alternate?.attributes.get('href')
  if (href !== undefined) return href
  const text = links.find((link) => link.text !== '')?.text
  if (text !== undefined) return text
  const guid = childText(element, 'guid') ?? childText(element, 'id')
  return guid !== undefined && /^https?:\/\//i.test(guid) ? guid : undefined
}

function entryOf(url: string, title: unknown, time: unknown): FeedEntry {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN
  const known = typeof title === 'string' ? title : ''
  return { url, title: known, ...(Number.isNaN(at) ? {} : { publishedAt: at }) }
}

function readJson(text: string): FeedEntry[] {
  try {
    const feed = JSON.parse(text) as { version?: unknown; items?: unknown }
    if (typeof feed.version !== 'string' || !feed.version.includes('jsonfeed.org') || !Array.isArray(feed.items))
      return []
    return feed.items.slice(0, ENTRIES_MAX).flatMap((item: unknown) => {
      if (typeof item !== 'object' || item === null || !('url' in item) || typeof item.url !== 'string') return []
      const time = 'date_published' in item ? item.date_published : undefined
      return [entryOf(item.url, 'title' in item ? item.title : undefined, time)]
    })
  } catch {
    return []
  }
}
