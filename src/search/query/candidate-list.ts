import type { DocumentsReader } from '../documents/documents-reader.ts'
import type { IndexHits, IndexReader, Vertical } from '../index/search-index.ts'
import type { SearchRequest } from '../search.ts'
import { collapse } from './collapse.ts'
import { buildFilter } from './filter.ts'
import {
  CANDIDATES_MAX,
  type Candidates,
  findCandidates,
  findThings,
  HEAD,
  hidesAdult,
  planQuery,
  splitCandidates,
  THINGS_HEAD,
} from './match.ts'
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
  /** Holds all that can be paged to; otherwise what the first pages need. */
  deep: boolean
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

/** Results up to here are cut from a list that is not deep. */
const SHALLOW_MAX = 100

export function needsDepth({ offset, count }: SearchRequest): boolean {
  return offset + count > SHALLOW_MAX
}

/** Parse, match, rank, collapse. A step for which the time is gone is left out, and the list says so. */
export function listCandidates(request: SearchRequest, parts: ListParts): CandidateList {
  const parsed = parseQuery(request.query)
  const plan = planQuery(parsed)
  const deep = needsDepth(request)
  const list: CandidateList = { pages: NO_PAGES, images: NO_THINGS, videos: NO_THINGS, partial: false, deep }
  if (!plan.asked) return list
  const filter = buildFilter(request, parsed, parts.safe)
  const { readers, late } = parts
  if (request.wants.pages) {
    const found = findCandidates(plan, { index: readers.web, documents: parts.documents, filter, deep, late })
    const order = (candidates: Candidates): Ranked[] => {
      const ranked = rank(candidates, {
        signals: parts.signals,
        text: parsed.text,
        languages: plan.languages,
        nowS: parts.nowS,
        urlOf: rememberUrls(parts.documents),
      })
      return filter.sitesAny === undefined ? collapse(ranked, parts.signals) : ranked
    }
    const { head, tail } = splitCandidates(found)
    list.pages = toPages(
      followedBy(order(head), order(tail)),
      found.total,
      parts.safe && !late() && hidesAdult(readers.web, plan, filter),
    )
  }
  if (late()) return { ...list, partial: true }
  if (request.wants.images) list.images = toThings(findThings(readers.images, plan, filter, deep), parts, 'images')
  if (late()) return { ...list, partial: true }
  if (request.wants.videos) list.videos = toThings(findThings(readers.videos, plan, filter, deep), parts, 'videos')
  return { ...list, partial: late() }
}

function followedBy(head: Ranked[], tail: Ranked[]): Ranked[] {
  const known = new Set(head.map(({ id }) => id))
  return [...head, ...tail.filter(({ id }) => !known.has(id))]
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
  return { ids, why, total: total <= HEAD ? kept.length : total, someRemoved }
}

/** The terms of the score at a place of the list, by name. */
export function whyOf(pages: CandidateList['pages'], place: number): Record<Reason | 'score', number> {
  const entries = WHY.map((name, i) => [name, pages.why[place * WHY.length + i] ?? 0])
  return Object.fromEntries(entries) as Record<Reason | 'score', number>
}

/** A list with the rest of a deeper one behind it: what earlier pages showed stays where it stood. */
export function deepen(list: CandidateList, deeper: CandidateList): CandidateList {
  const shown = new Set(list.pages.ids)
  const places = Array.from(deeper.pages.ids.keys()).filter((place) => !shown.has(deeper.pages.ids[place] ?? -1))
  const more = places.slice(0, Math.max(0, CANDIDATES_MAX - shown.size))
  const whys = more.flatMap((place) => [...deeper.pages.why.subarray(place * WHY.length, (place + 1) * WHY.length)])
  const ids = Float64Array.from([...list.pages.ids, ...more.map((place) => deeper.pages.ids[place] ?? 0)])
  const things = (few: CandidateList['images'], many: CandidateList['images']): CandidateList['images'] => {
    return { total: few.total, keys: [...new Set([...few.keys, ...many.keys])] }
  }
  return {
    pages: { ...list.pages, ids, why: Float32Array.from([...list.pages.why, ...whys]) },
    images: things(list.images, deeper.images),
    videos: things(list.videos, deeper.videos),
    partial: deeper.partial,
    deep: true,
  }
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
  return { keys, total: hits.total <= THINGS_HEAD ? keys.length : hits.total }
}
