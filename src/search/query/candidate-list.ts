import type { DocumentsReader } from '../documents/documents-reader.ts'
import type { IndexHits, IndexReader, Vertical } from '../index/search-index.ts'
import type { SearchRequest } from '../search.ts'
import { collapse } from './collapse.ts'
import { buildFilter } from './filter.ts'
import { CANDIDATES_MAX, findCandidates, findThings, hidesAdult, planQuery } from './match.ts'
import { parseQuery } from './parse.ts'
import { rank, REASONS, type Ranked, type Reason } from './rank/rank.ts'
import type { Signals } from './signals.ts'

const WHY = [...REASONS, 'score'] as const

/** All that a query found, best first: every page of its answer is a slice of this. */
export type CandidateList = {
  /** `why` holds the numbers of `WHY` for each page: lists are kept by the hundred and travel between threads. */
  pages: { ids: Float64Array; why: Float32Array; total: number; someRemoved: boolean }
  images: { keys: number[]; total: number }
  videos: { keys: number[]; total: number }
  partial: boolean
}

export type ListParts = {
  readers: Record<Vertical, IndexReader>
  documents: DocumentsReader
  signals: Signals
  nowS: number
  safe: boolean
  late: () => boolean
}

const NO_PAGES: CandidateList['pages'] = {
  ids: new Float64Array(0),
  why: new Float32Array(0),
  total: 0,
  someRemoved: false,
}
const NO_THINGS: CandidateList['images'] = { keys: [], total: 0 }

/** Parse, match, rank, collapse. A step for which the time is gone is left out, and the list says so. */
export function listCandidates(request: SearchRequest, parts: ListParts): CandidateList {
  const parsed = parseQuery(request.query)
  const plan = planQuery(parsed)
  const list: CandidateList = { pages: NO_PAGES, images: NO_THINGS, videos: NO_THINGS, partial: false }
  if (!plan.asked) return list
  const filter = buildFilter(request, parsed, parts.safe)
  const { readers, late } = parts
  if (request.wants.pages) {
    const found = findCandidates(plan, { index: readers.web, documents: parts.documents, filter, late })
    const ranked = rank(found, {
      signals: parts.signals,
      text: parsed.text,
      languages: plan.languages,
      nowS: parts.nowS,
      urlOf: rememberUrls(parts.documents),
    })
    const crowded = filter.sitesAny === undefined ? collapse(ranked, parts.signals) : ranked
    list.pages = toPages(crowded, found.total, parts.safe && !late() && hidesAdult(readers.web, plan, filter))
  }
  if (late()) return { ...list, partial: true }
  if (request.wants.images) list.images = toThings(findThings(readers.images, plan, filter), parts, 'images')
  if (late()) return { ...list, partial: true }
  if (request.wants.videos) list.videos = toThings(findThings(readers.videos, plan, filter), parts, 'videos')
  return { ...list, partial: late() }
}

function toPages(ranked: Ranked[], total: number, someRemoved: boolean): CandidateList['pages'] {
  const kept = ranked.slice(0, CANDIDATES_MAX)
  const ids = Float64Array.from(kept, ({ id }) => id)
  const why = new Float32Array(kept.length * WHY.length)
  for (const [place, each] of kept.entries()) {
    const first = place * WHY.length
    for (const [i, reason] of REASONS.entries()) why[first + i] = each.why[reason]
    why[first + REASONS.length] = each.score
  }
  return { ids, why, total: total <= CANDIDATES_MAX ? kept.length : total, someRemoved }
}

/** The terms of the score at a place of the list, by name. */
export function whyOf(pages: CandidateList['pages'], place: number): Record<Reason | 'score', number> {
  const entries = WHY.map((name, i) => [name, pages.why[place * WHY.length + i] ?? 0])
  return Object.fromEntries(entries) as Record<Reason | 'score', number>
}

/** Equals are compared again and again while they are sorted. */
function rememberUrls(documents: DocumentsReader): (id: number) => string {
  const urls = new Map<number, string>()
  return (id) => {
    const url = urls.get(id) ?? documents.getUrl(id)
    urls.set(id, url)
    return url
  }
}

/** One picture or film stands once, however many pages show it; the best of its pages is told. */
function toThings(hits: IndexHits, parts: ListParts, kind: 'images' | 'videos'): CandidateList['images'] {
  const seen = new Set<string>()
  const keys = [...hits.keys].filter((key) => {
    const url = parts.documents.findThingUrl(kind, key)
    if (url === undefined || seen.has(url)) return false
    seen.add(url)
    return true
  })
  return { keys, total: hits.total <= hits.keys.length ? keys.length : hits.total }
}
