/**
 * What is known of one fetched page: extraction writes it, the documents file keeps it, indexing and query read it.
 * Plain data, JSON-safe. Times are epoch milliseconds. A value that is not known is left out, never invented.
 */

export type PageType = 'article' | 'forum' | 'product' | 'listing' | 'documentation' | 'service' | 'home' | 'other'

export type PublishedAt = {
  at: number
  /** The source named a day only: shown as midnight UTC+8 of that day. */
  dayOnly: boolean
  /** 0 to 1; below `DATE_CONFIDENCE_MIN` it is neither shown nor filtered by. */
  confidence: number
}
export const DATE_CONFIDENCE_MIN = 0.5

/** From here on a page is adult: it is marked in the index, and the safety filter takes it out. */
export const ADULT_MIN = 0.5

export type LinkRecord = {
  url: string
  anchor: string
  nofollow: boolean
  /** Stands in navigation, header or footer: a candidate for deep links. */
  navigation: boolean
}

export type ImageRecord = {
  url: string
  name: string
  /** Text beside it: caption, alt, heading above; what it is found by. */
  context: string
  width?: number
  height?: number
  bytes?: number
  /** `jpeg`, `png`, `webp`, `gif`, `svg`, `avif`. */
  format?: string
  published?: PublishedAt
  /** How much the page says that this is its picture: 0 to 1 (og:image, JSON-LD, figure, plain img). */
  prominence: number
}

export type VideoRecord = {
  /** The file or the player page that plays it. */
  url: string
  name: string
  description: string
  thumbnailUrl?: string
  width?: number
  height?: number
  durationS?: number
  format?: string
  publisher?: string
  creator?: string
  viewCount?: number
  published?: PublishedAt
  /** A known player (`youtube`, `vimeo`, …) and its id there: what an embed is built from. */
  player?: { name: string; id: string }
  motionThumbnailUrl?: string
}

/** One page as extracted. `url` is normalised and final (after redirects). */
export type PageDocument = {
  url: string
  canonicalUrl?: string
  host: string
  fetchedAt: number
  /** When we first saw this URL; stays over recrawls. */
  firstSeenAt: number
  contentType: string
  pageType: PageType
  title: string
  /** Main text, paragraphs parted by \n. */
  text: string
  description: string
  headings: string[]
  siteName?: string
  iconUrl?: string
  author?: string
  /** Two letters (ISO 639-1). */
  language?: string
  published?: PublishedAt
  links: LinkRecord[]
  images: ImageRecord[]
  videos: VideoRecord[]
  /** 0 (none) to 1 (sure): from labels, words and host. */
  adult: number
  noindex: boolean
  nofollow: boolean
  /** Similar texts differ in few bits: two unsigned 32-bit halves. */
  simhash: [number, number]
}

/** Where a page's fetched bytes stand in `warc/`. The crawler tells it with the document; a stored copy is read by it. */
export type CopyPlace = {
  /** Name of the WARC file, without folders. */
  file: string
  /** Of the response record (or of the revisit record that names it), in bytes. */
  offset: number
  /** Fetched from a private network; never true of the server's own manual. */
  private: boolean
}
