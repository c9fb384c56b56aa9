import type { ImageRecord, VideoRecord } from '../document.ts'
import { childText, readXml, type XmlElement } from './xml.ts'

/** What a sitemap knows of a page besides its URL: used where the page itself is silent. */
export type SitemapHints = {
  images: Pick<ImageRecord, 'url' | 'name' | 'context'>[]
  videos: VideoRecord[]
  /** Epoch ms of `news:publication_date`. */
  publishedAt?: number
}

export type SitemapPage = {
  url: string
  /** Epoch ms. */
  lastModifiedAt?: number
  hints?: SitemapHints
}
export type Sitemap = { pages: SitemapPage[]; sitemaps: string[] }

/** The protocol's own limit (https://www.sitemaps.org/protocol.html). */
const ENTRIES_MAX = 50_000
const HINTS_MAX = 20

/**
 * Reads a sitemap, a sitemap index or a plain list of URLs, with Google's image, video and news extensions
 * (https://developers.google.com/search/docs/crawling-indexing/sitemaps). URLs are as written: the caller judges them.
 */
export function parseSitemap(text: string): Sitemap {
  const found: Sitemap = { pages: [], sitemaps: [] }
  if (!/^\s*(?:\uFEFF)?\s*</.test(text)) return { pages: readList(text), sitemaps: [] }
  readXml(text, new Set(['url', 'sitemap']), (element) => {
    const url = childText(element, 'loc', element.prefix)
    if (url === undefined || found.pages.length + found.sitemaps.length >= ENTRIES_MAX) return
    if (element.name === 'sitemap') found.sitemaps.push(url)
    else found.pages.push(pageOf(element, url))
  })
  return found
}

function readList(text: string): SitemapPage[] {
  return text
    .split(/\s+/, ENTRIES_MAX)
    .filter((line) => /^https?:\/\//i.test(line))
    .map((url) => ({ url }))
}

function pageOf(element: XmlElement, url: string): SitemapPage {
  const lastModifiedAt = parseTime(childText(element, 'lastmod'))
  const images = element.children.filter((child) => child.name === 'image').flatMap(imageOf)
  const videos = element.children.filter((child) => child.name === 'video').flatMap(videoOf)
  const news = element.children.find((child) => child.name === 'news')
  const publishedAt = news === undefined ? undefined : parseTime(childText(news, 'publication_date'))
  const hints: SitemapHints = {
    images: images.slice(0, HINTS_MAX),
    videos: videos.slice(0, HINTS_MAX),
    ...(publishedAt === undefined ? {} : { publishedAt }),
  }
  const some = images.length > 0 || videos.length > 0 || publishedAt !== undefined
  return { url, ...(lastModifiedAt === undefined ? {} : { lastModifiedAt }), ...(some ? { hints } : {}) }
}

function imageOf(element: XmlElement): SitemapHints['images'] {
  const url = childText(element, 'loc')
  const name = childText(element, 'title') ?? ''
  return url === undefined ? [] : [{ url, name, context: childText(element, 'caption') ?? name }]
}

function videoOf(element: XmlElement): VideoRecord[] {
  const url = childText(element, 'content_loc') ?? childText(element, 'player_loc')
  const name = childText(element, 'title')
  if (url === undefined || name === undefined) return []
  const thumbnailUrl = childText(element, 'thumbnail_loc')
  const durationS = parseCount(childText(element, 'duration'))
  const viewCount = parseCount(childText(element, 'view_count'))
  const creator = childText(element, 'uploader')
  const at = parseTime(childText(element, 'publication_date'))
  return [
    {
      url,
      name,
      description: childText(element, 'description') ?? '',
      ...(thumbnailUrl === undefined ? {} : { thumbnailUrl }),
      ...(durationS === undefined ? {} : { durationS }),
      ...(viewCount === undefined ? {} : { viewCount }),
      ...(creator === undefined ? {} : { creator }),
      ...(at === undefined ? {} : { published: { at, dayOnly: false, confidence: 0.9 } }),
    },
  ]
}

function parseCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** W3C date and time (https://www.w3.org/TR/NOTE-datetime); a day alone is that day's midnight in UTC. */
export function parseTime(text: string | undefined): number | undefined {
  const at = text === undefined || !/^\d{4}-\d\d/.test(text) ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}
