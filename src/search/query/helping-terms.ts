import type { DocumentsReader } from '../documents/documents-reader.ts'
import type { HelpingTerm, IndexHits, IndexReader } from '../index/search-index.ts'
import { analyse } from '../text/analyse.ts'
import { isStopWord } from './stop-words.ts'

/** Pages that are taken for good answers, how much of each is read, and how many terms they lend (Lavrenko & Croft, SIGIR 2001, RM3). */
const PAGES = 5
const TEXT_MAX = 4_000
const TERMS = 30
/** What the most telling of them counts beside a word of the query. */
const WEIGHT = 0.5
/** A term that stands in more pages than this tells nothing of these. */
const SHARE_MAX = 0.1

/**
 * Terms that the first pages of a long query share and others lack: whoever asks in a sentence names a thing once, pages on it
 * name what goes with it. They lift pages that hold some words of the query, and find none by themselves.
 */
export function findHelpingTerms(first: IndexHits, index: IndexReader, documents: DocumentsReader): HelpingTerm[] {
  const pages = first.keys.slice(0, PAGES)
  const scores = first.scores.slice(0, PAGES).reduce((sum, score) => sum + score, 0)
  const worth = new Map<string, number>()
  for (const [i, id] of pages.entries()) {
    const terms = termsOf(id, documents)
    const share = (first.scores[i] ?? 0) / scores / terms.length
    for (const term of terms) worth.set(term, (worth.get(term) ?? 0) + share)
  }
  const docs = index.stats().docs
  const weighed = [...worth].flatMap(([term, share]) => {
    const found = isTelling(term) ? index.docFrequency(term) : 0
    return found === 0 || found > docs * SHARE_MAX ? [] : [{ term, weight: share * Math.log(1 + docs / found) }]
  })
  weighed.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1))
  const most = weighed[0]?.weight ?? 1
  return weighed.slice(0, TERMS).map(({ term, weight }) => ({ term, weight: (WEIGHT * weight) / most }))
}

function termsOf(id: number, documents: DocumentsReader): string[] {
  const row = documents.findPage(id)
  if (row === undefined) return []
  const text = documents.findBody(id)?.text.slice(0, TEXT_MAX) ?? ''
  return analyse(`${row.title}\n${row.title}\n${text}`, row.language).map(({ term }) => term)
}

function isTelling(term: string): boolean {
  return !/\d/.test(term) && !(term.length < 3 && /^\p{sc=Latin}+$/u.test(term)) && !isStopWord(term)
}
