import { DATE_CONFIDENCE_MIN, type ImageRecord, type PageDocument } from '../document.ts'
import type { SitemapHints } from './sitemaps.ts'

/** A picture that only the sitemap names is one the site wants found, but the page may not show it large. */
const SITEMAP_PROMINENCE = 0.6
const NEWS_DATE_CONFIDENCE = 0.9

/** The document with what the sitemap knows and the page does not say. What the page says stands. */
export function applyHints(document: PageDocument, hints: SitemapHints | undefined): PageDocument {
  if (hints === undefined) return document
  const images = hints.images.filter((hint) => !document.images.some((image) => image.url === hint.url))
  const videos = hints.videos.filter((hint) => !document.videos.some((video) => video.url === hint.url))
  const dated = (document.published?.confidence ?? 0) >= DATE_CONFIDENCE_MIN
  const published =
    dated || hints.publishedAt === undefined
      ? document.published
      : { at: hints.publishedAt, dayOnly: false, confidence: NEWS_DATE_CONFIDENCE }
  return {
    ...document,
    images: [...document.images, ...images.map(imageOf)],
    videos: [...document.videos, ...videos],
    ...(published === undefined ? {} : { published }),
  }
}

function imageOf({ url, name, context }: SitemapHints['images'][number]): ImageRecord {
  return { url, name, context, prominence: SITEMAP_PROMINENCE }
}
