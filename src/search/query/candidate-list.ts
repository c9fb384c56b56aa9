import type { DocumentsReader } from '../documents/documents-reader.ts'
import type { IndexHits, IndexReader, Vertical } from '../index/search-index.ts'
import type { SearchRequest } from '../search.ts'
import { collapse } from './collapse.ts'
import { buildFilter } from './filter.ts'
import { CANDIDATES_MAX, findCandidates, findThings, hidesAdult, planQuery } from './match.ts'
import { parseQuery } from './parse.ts'
import { rank, type Ranked, type Reason } from './rank/rank.ts'
import type { Signals } from './signals.ts'

/** All that a query found, best first: every page of its answer is a slice of this. */
export type CandidateList = {
  pages: { ids: number[]; why: Record<Reason, number>[]; total: number; someRemoved: boolean }
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

const NO_PAGES: CandidateList['pages'] = { ids: [], why: [], total: 0, someRemoved: false }
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
      urlOf: (id) => parts.documents.findPage(id)?.url ?? '',
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
  const why = kept.map((each) => ({ ...each.why, score: each.score }))
  return { ids: kept.map(({ id }) => id), why, total: total <= CANDIDATES_MAX ? kept.length : total, someRemoved }
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
