import type { Candidates } from '../match.ts'
import { languageNumber, type Signals } from '../signals.ts'
import { hashText, squash } from '../squash.ts'

/** What a sum of 1 is made of. Text is the engine's BM25 as a share of the best one; the rest breaks near-ties and finds homes. */
const WEIGHTS = {
  text: 1,
  /** Holds every word, where others hold some. */
  full: 0.5,
  /** Holds the words one after the other: the more words, the surer it is meant. */
  phrase: 1,
  title: 0.5,
  authority: 0.12,
  host: 0.06,
  freshness: 0.04,
  language: 0.08,
  /** The home page of what the query names. */
  home: 1.5,
} as const

export type Reason = keyof typeof WEIGHTS
export const REASONS = Object.keys(WEIGHTS) as Reason[]

/** So many words after the first are no chance. */
const PHRASE_WORDS_SURE = 4

/** Publication weighs half as much after each of these. */
const HALF_LIFE_S = 365 * 86_400

export type Ranked = { id: number; score: number; why: Record<Reason, number> }

export type RankContext = {
  signals: Signals
  /** The query's free text. */
  text: string
  /** Likeliest first. */
  languages: string[]
  nowS: number
  /** Breaks ties; asked only for equals. */
  urlOf: (id: number) => string
}

/** Every candidate with the terms of its score, best first. The URL breaks ties, so page 2 never repeats a result of page 1. */
export function rank(candidates: Candidates, context: RankContext): Ranked[] {
  const { signals } = context
  const squashed = squash(context.text)
  const homes = new Set(signals.homesCalled(squashed))
  const titleHash = hashText(squashed)
  const phrase = Math.min(1, (candidates.phraseWords - 1) / PHRASE_WORDS_SURE)
  const language = languageNumber(context.languages[0])
  const ranked = new Map<number, Ranked>()
  const add = (id: number, text: number, full: number): void => {
    if (ranked.has(id) || signals.gone[id] === 1) return
    const why = {
      text,
      full,
      phrase: candidates.phrase.has(id) ? phrase : 0,
      title: titleHash !== 0 && signals.titleHash[id] === titleHash ? 1 : 0,
      authority: signals.authority[id] ?? 0,
      host: signals.hostOf(id)?.authority ?? 0,
      freshness: freshnessOf(signals.published[id] ?? 0, context.nowS),
      language: signals.language[id] === language ? 1 : 0,
      home: homes.has(id) ? 1 : 0,
    }
    ranked.set(id, { id, score: sum(why), why })
  }
  const { best } = candidates
  for (const [i, id] of candidates.full.keys.entries()) add(id, (candidates.full.scores[i] ?? 0) / best, 1)
  for (const [i, id] of candidates.relaxed.keys.entries()) add(id, (candidates.relaxed.scores[i] ?? 0) / best, 0)
  return [...ranked.values()].sort((a, b) => byScoreThenUrl(a, b, context.urlOf))
}

function sum(why: Record<Reason, number>): number {
  let score = 0
  for (const reason of REASONS) score += WEIGHTS[reason] * why[reason]
  return score
}

function freshnessOf(publishedS: number, nowS: number): number {
  return publishedS === 0 ? 0 : 2 ** (-Math.max(0, nowS - publishedS) / HALF_LIFE_S)
}

function byScoreThenUrl(a: Ranked, b: Ranked, urlOf: (id: number) => string): number {
  return b.score - a.score || (urlOf(a.id) < urlOf(b.id) ? -1 : 1)
}
