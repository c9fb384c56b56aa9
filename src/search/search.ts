/**
 * The door of search: what `api` and `cli` know of it. Wire names end in `api/web-search/`; types and the interface only,
 * `open-search.ts` constructs it.
 */

/** Calendar days are those of UTC+8, both ends inclusive; already turned into epoch ms here. */
export type Freshness = { from: number; to: number }

export type SearchRequest = {
  query: string
  /** 1 to 50. */
  count: number
  /** In results. */
  offset: number
  freshness?: Freshness
  /** Host suffixes, ASCII, lower case. */
  include: string[]
  exclude: string[]
  wants: { pages: boolean; images: boolean; videos: boolean }
  /** Leave the extract out. */
  withoutSummary: boolean
  /** Epoch ms; what is found by then is the answer. */
  deadlineAt: number
}

export type PageResult = {
  url: string
  title: string
  snippet: string
  summary?: string
  siteName?: string
  iconUrl?: string
  /** Already past the confidence gate. */
  published?: { at: number; dayOnly: boolean }
  crawledAt: number
  /** Names the stored copy. */
  copyId: string
  language?: string
  familyFriendly: boolean
  navigational: boolean
  deepLinks: { name: string; url: string; snippet: string }[]
  /** Terms of the score by name, for the operator and for tests. */
  why: Record<string, number>
}

export type ImageResult = {
  name: string
  contentUrl: string
  hostPageUrl: string
  published?: { at: number; dayOnly: boolean }
  width?: number
  height?: number
  bytes?: number
  format?: string
  familyFriendly: boolean
}

export type VideoResult = {
  name: string
  description: string
  contentUrl: string
  hostPageUrl: string
  thumbnailUrl?: string
  motionThumbnailUrl?: string
  publisher?: string
  creator?: string
  format?: string
  width?: number
  height?: number
  durationS?: number
  viewCount?: number
  player?: { name: string; id: string }
  published?: { at: number; dayOnly: boolean }
  familyFriendly: boolean
}

export type Vertical<Result> = { total: number; results: Result[] }

export type SearchAnswer = {
  pages: Vertical<PageResult> & { someRemoved: boolean }
  images: Vertical<ImageResult>
  videos: Vertical<VideoResult>
  /** The deadline cut the search short. */
  partial: boolean
  tookMs: number
}

/** A page as we fetched it. */
export type StoredCopy = { url: string; fetchedAt: number; status: number; contentType: string; body: Uint8Array }

export interface Search {
  search(request: SearchRequest, signal: AbortSignal): Promise<SearchAnswer>
  storedCopy(copyId: string): Promise<StoredCopy | undefined>
  stats(): {
    pages: number
    images: number
    videos: number
    bytes: number
    engine: string
    watermark: number
    privatePages: number
  }
  close(): Promise<void>
}
