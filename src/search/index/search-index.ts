/**
 * The seam between search and an inverted index. An engine stores terms that were already analysed and answers with keys and
 * scores; it knows nothing of text, languages or ranking. Everything here is synchronous: a writer lives in one thread, each reader in its own.
 */

export const VERTICALS = ['web', 'images', 'videos'] as const
export type Vertical = (typeof VERTICALS)[number]

/** Keys, owners and times are whole numbers up to this: the binding of Tantivy cuts larger ones silently. */
export const KEY_MAX = 2 ** 32 - 1

/** A thing that can be found: a page, or one image or video of a page. `owner` is the page it is replaced and removed with. */
export type IndexDoc = {
  /** Unique in its vertical. */
  key: number
  owner: number
  /** Terms in order, parted by one space; a term holds no white space. */
  all: string
  title: string
  /** The host and every domain above it. */
  sites: string[]
  language: string
  fileType: string
  /** Epoch seconds that freshness filters by. */
  time: number
  adult: boolean
}

/** `replaced`: owners whose things all go before `docs` come. Doing it twice is as doing it once. */
export type IndexBatch = { replaced: number[]; docs: IndexDoc[] }

export type Match =
  | { kind: 'term'; field: 'all' | 'title'; term: string }
  /** Terms that stand one after the other. */
  | { kind: 'phrase'; field: 'all' | 'title'; terms: string[] }
  | { kind: 'every'; of: Match[] }
  /** Scores add up. */
  | { kind: 'some'; of: Match[] }
  /** Ways to say the same: the best one scores. */
  | { kind: 'best'; of: Match[] }
  | { kind: 'anything' }

export type IndexFilter = {
  sitesAny?: string[]
  sitesNone?: string[]
  languages?: string[]
  fileTypes?: string[]
  /** Epoch seconds, both ends inclusive. */
  from?: number
  to?: number
  /** Only adult things, or none of them; both when left out. */
  adult?: boolean
}

/** Adds to the score of what matches, and matches nothing by itself. */
export type HelpingTerm = { term: string; weight: number }

export type IndexQuery = {
  match: Match
  without: Match[]
  filter: IndexFilter
  /** How much a term in the title counts beside the same term in `all`, which holds the title too. */
  titleWeight: number
  helping?: HelpingTerm[]
}

/** Best first; `keys[i]` has `scores[i]`. `total` is exact. */
export type IndexHits = { total: number; keys: Float64Array; scores: Float32Array }

export type IndexStats = { docs: number; segments: number; bytes: number }

export interface IndexWriter {
  /** Seen by readers only after `commit`. */
  apply(batch: IndexBatch): void
  /** Durable, with `watermark` in the same step: after a crash both are there or neither is. */
  commit(watermark: number): void
  committedWatermark(): number
  close(): void
}

export interface IndexReader {
  /** Sees the newest commit from here on. */
  reload(): void
  search(query: IndexQuery, limit: number): IndexHits
  /** Pages that hold a term. */
  docFrequency(term: string): number
  watermark(): number
  stats(): IndexStats
  /** Does a piece of work that makes later searches quicker; false when nothing is left. */
  warm(): boolean
  close(): void
}

/** One kind of inverted index. A folder belongs to one vertical of one generation. */
export interface IndexEngine {
  readonly name: string
  openWriter(folder: string): IndexWriter
  /** The folder was opened by a writer before. */
  openReader(folder: string): IndexReader
}

export const EMPTY_HITS: IndexHits = { total: 0, keys: new Float64Array(0), scores: new Float32Array(0) }

/** The terms that score, each once: what a title is compared with. */
export function scoringTerms(match: Match): string[] {
  const terms = new Set<string>()
  collect(match, terms)
  return [...terms]
}

function collect(match: Match, terms: Set<string>): void {
  if (match.kind === 'term') {
    if (match.field === 'all') terms.add(match.term)
  } else if (match.kind === 'phrase') {
    if (match.field === 'all') for (const term of match.terms) terms.add(term)
  } else if (match.kind !== 'anything') {
    for (const part of match.of) collect(part, terms)
  }
}
