import type {
  ImageResult,
  PageResult,
  Search,
  SearchAnswer,
  SearchRequest,
  StoredCopy,
  VideoResult,
  Vertical,
} from '../../src/search/search.ts'
import type { Picture, Pictures } from '../../src/search/pictures.ts'

const MS = 1_760_000_000_000

/** A page result with everything filled; `changes` over it. */
export function pageResult(changes: Partial<PageResult> = {}): PageResult {
  return {
    url: 'https://docs.example.org/caf%C3%A9/one',
    title: 'The sea and the wind',
    snippet: 'Waves of the sea, and the wind that makes them.',
    summary: 'A longer extract about waves, the sea and the wind.',
    siteName: 'Example Docs',
    iconUrl: 'https://docs.example.org/favicon.ico',
    published: { at: MS, dayOnly: false },
    crawledAt: MS + 3_600_500,
    copyId: '1',
    language: 'en',
    familyFriendly: true,
    navigational: false,
    deepLinks: [],
    why: { text: 1 },
    ...changes,
  }
}

export function imageResult(changes: Partial<ImageResult> = {}): ImageResult {
  return {
    name: 'A wave',
    contentUrl: 'https://docs.example.org/wave.jpg',
    hostPageUrl: 'https://docs.example.org/caf%C3%A9/one',
    published: { at: MS, dayOnly: true },
    width: 1600,
    height: 900,
    bytes: 360_493,
    format: 'jpeg',
    familyFriendly: true,
    ...changes,
  }
}

export function videoResult(changes: Partial<VideoResult> = {}): VideoResult {
  return {
    name: 'The sea in motion',
    description: 'Six minutes of waves.',
    contentUrl: 'https://www.youtube.com/watch?v=abcdefghijk',
    hostPageUrl: 'https://docs.example.org/film',
    thumbnailUrl: 'https://docs.example.org/film.jpg',
    motionThumbnailUrl: 'https://docs.example.org/film.webp',
    publisher: 'Example Docs',
    creator: 'A. Sailor',
    format: 'mp4',
    width: 1280,
    height: 720,
    durationS: 366,
    viewCount: 12,
    player: { name: 'youtube', id: 'abcdefghijk' },
    published: { at: MS, dayOnly: false },
    familyFriendly: true,
    ...changes,
  }
}

/** Search over three lists: whoever asks gets those whose title or name holds the query's first word. */
export class MemorySearch implements Search {
  pages: PageResult[] = [pageResult()]
  images: ImageResult[] = [imageResult()]
  videos: VideoResult[] = [videoResult()]
  copies = new Map<string, StoredCopy>()
  someRemoved = false
  partial = false
  /** Thrown by the next search. */
  failure: Error | undefined
  /** Held until it resolves or the caller leaves. */
  hold: Promise<void> | undefined
  readonly asked: SearchRequest[] = []

  async search(request: SearchRequest, signal: AbortSignal): Promise<SearchAnswer> {
    this.asked.push(request)
    if (this.failure !== undefined) throw this.failure
    if (this.hold !== undefined) {
      await Promise.race([this.hold, new Promise((resolve) => signal.addEventListener('abort', resolve))])
    }
    const { wants } = request
    return {
      pages: { ...find(this.pages, ({ title }) => title, request, wants.pages), someRemoved: this.someRemoved },
      images: find(this.images, ({ name }) => name, request, wants.images),
      videos: find(this.videos, ({ name }) => name, request, wants.videos),
      partial: this.partial,
      tookMs: 2,
    }
  }

  storedCopy(copyId: string): Promise<StoredCopy | undefined> {
    return Promise.resolve(this.copies.get(copyId))
  }

  stats() {
    return {
      pages: this.pages.length,
      images: this.images.length,
      videos: this.videos.length,
      bytes: 0,
      engine: 'memory',
      watermark: 0,
      privatePages: 0,
    }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

function find<Result>(
  all: readonly Result[],
  nameOf: (one: Result) => string,
  { query, count, offset }: SearchRequest,
  wanted: boolean,
): Vertical<Result> {
  const word = query.trim().split(/\s+/)[0]?.toLowerCase() ?? ''
  const found = wanted ? all.filter((one) => nameOf(one).toLowerCase().includes(word)) : []
  return { total: found.length, results: found.slice(offset, Math.min(offset + count, 1000)) }
}

/** Pictures by address; what is not in the map cannot be had. */
export class MemoryPictures implements Pictures {
  readonly known = new Map<string, Picture>()

  thumbnail(url: string): Promise<Picture | undefined> {
    return Promise.resolve(this.known.get(url))
  }

  icon(url: string): Promise<Picture | undefined> {
    return Promise.resolve(this.known.get(url))
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
