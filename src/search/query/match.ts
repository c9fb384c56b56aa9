import type { DocumentsReader } from '../documents/documents-reader.ts'
import {
  EMPTY_HITS,
  type IndexFilter,
  type IndexHits,
  type IndexQuery,
  type IndexReader,
  type Match,
} from '../index/search-index.ts'
import { findHelpingTerms } from './helping-terms.ts'
import type { ParsedQuery } from './parse.ts'
import { readPhrase, readWords, type QueryWords } from './terms.ts'

/** A candidate list is this long at most: what stands deeper is never shown. */
export const CANDIDATES_MAX = 1_000
/**
 * So many are ranked together, and they are all that the first pages need: a hit of the engine costs some 3 µs, so the rest of the
 * list is looked for only when somebody goes on that far. It is ranked for itself and stands behind.
 */
export const HEAD = 300
/** With fewer pages that hold every word, pages that hold some of them are looked at too. */
const FULL_ENOUGH = 20
/** A query of so many telling words, which so few pages hold all of, is asked again with the help of the first pages found. */
const LONG = 4
const FULL_FEW = 3
/** Images and videos are looked at this deep, and for the first pages. */
const THINGS_MAX = 300
export const THINGS_HEAD = 150
const PHRASE_HITS_MAX = 200
/** A light weight measures best beside a field that holds the title already; larger ones lose. */
const TITLE_WEIGHT = 0.3

/** A query as matches; `asked` is false when it asks for nothing that could be found. */
export type Plan = QueryWords & { required: Match[]; without: Match[]; asked: boolean }

export type Candidates = {
  /** Hold every word, best first. */
  full: IndexHits
  /** Hold some words; may hold those of `full` too. */
  relaxed: IndexHits
  /** Hold the words as a phrase. */
  phrase: Set<number>
  phraseWords: number
  total: number
  /** The best score that the engine gave. */
  best: number
}

export function planQuery(parsed: ParsedQuery): Plan {
  const words = readWords(parsed.text, parsed.languages)
  const languages = words.languages.length === 0 ? ['en'] : words.languages
  const read = (texts: string[], field: 'all' | 'title'): Match[] =>
    texts.flatMap((text) => readPhrase(text, languages, field) ?? [])
  const required = [...read(parsed.phrases, 'all'), ...read(parsed.inTitle, 'title')]
  const without = [...read(parsed.without, 'all'), ...read(parsed.withoutInTitle, 'title')]
  const filters = [parsed.sites, parsed.withoutSites, parsed.fileTypes, parsed.languages, parsed.without]
  const asked = words.words.length > 0 || required.length > 0 || filters.some((list) => list.length > 0)
  return { ...words, required, without, asked }
}

export type Matching = {
  index: IndexReader
  documents: DocumentsReader
  filter: IndexFilter
  /** To `CANDIDATES_MAX` instead of `HEAD`. */
  deep: boolean
  late: () => boolean
}

/** `late` says whether the deadline has passed: steps that only improve the list are left out then. */
export function findCandidates(plan: Plan, { index, documents, filter, deep, late }: Matching): Candidates {
  const most = deep ? CANDIDATES_MAX : HEAD
  const ask = (match: Match, limit: number): IndexHits => index.search(toQuery(plan, match, filter), limit)
  const full = ask(all(plan.words), most)
  const several = plan.words.length > 1
  let relaxed =
    several && full.total < FULL_ENOUGH && !late() ? ask({ kind: 'some', of: plan.words }, most) : EMPTY_HITS
  const helped = plan.words.length >= LONG && full.total < FULL_FEW && relaxed.total > 0 && !late()
  if (helped) relaxed = help(relaxed, plan, { index, documents, filter, deep })
  const phrase = plan.phrase === undefined || late() ? EMPTY_HITS : ask(plan.phrase, PHRASE_HITS_MAX)
  return {
    full,
    relaxed,
    phrase: new Set(phrase.keys),
    phraseWords: plan.phraseWords,
    total: Math.max(full.total, relaxed.total),
    best: Math.max(full.scores[0] ?? 0, relaxed.scores[0] ?? 0, 1e-9),
  }
}

function cut(hits: IndexHits, from: number, to: number): IndexHits {
  return { total: hits.total, keys: hits.keys.subarray(from, to), scores: hits.scores.subarray(from, to) }
}

/** What is ranked first, and what stands behind it. */
export function splitCandidates(found: Candidates): { head: Candidates; tail: Candidates } {
  const part = (from: number, to: number): Candidates => {
    return { ...found, full: cut(found.full, from, to), relaxed: cut(found.relaxed, from, to) }
  }
  return { head: part(0, HEAD), tail: part(HEAD, CANDIDATES_MAX) }
}

/** The same pages in a better order. */
function help(relaxed: IndexHits, plan: Plan, matching: Omit<Matching, 'late'>): IndexHits {
  const { index, documents, filter, deep } = matching
  const helping = findHelpingTerms(relaxed, index, documents)
  return index.search(
    { ...toQuery(plan, { kind: 'some', of: plan.words }, filter), helping },
    deep ? CANDIDATES_MAX : HEAD,
  )
}

/** Things that hold every word: an image or a video has few words, so holding some of them means little. */
export function findThings(index: IndexReader, plan: Plan, filter: IndexFilter, deep: boolean): IndexHits {
  return index.search(toQuery(plan, all(plan.words), filter), deep ? THINGS_MAX : THINGS_HEAD)
}

/** Whether the safety filter takes anything out. */
export function hidesAdult(index: IndexReader, plan: Plan, filter: IndexFilter): boolean {
  const match: Match = plan.words.length > 1 ? { kind: 'every', of: plan.words } : all(plan.words)
  return index.search(toQuery(plan, match, { ...filter, adult: true }), 1).total > 0
}

function toQuery(plan: Plan, match: Match, filter: IndexFilter): IndexQuery {
  const required: Match = plan.required.length === 0 ? match : { kind: 'every', of: [match, ...plan.required] }
  return { match: required, without: plan.without, filter, titleWeight: TITLE_WEIGHT }
}

function all(words: Match[]): Match {
  const [first] = words
  if (first === undefined) return { kind: 'anything' }
  return words.length === 1 ? first : { kind: 'every', of: words }
}
