import type { Match } from '../index/search-index.ts'
import { analyse, type Token } from '../text/analyse.ts'
import { guessQueryLanguages } from '../text/query-languages.ts'
import { isStopWord } from './stop-words.ts'

/** More words than these say nothing new, and each costs time. */
const WORDS_MAX = 40

/** A text as one language reads it. */
type Reading = { language: string; tokens: Token[] }

/** The words of a query: each a match of its own, with all the ways to write it in the languages it may be in. */
export type QueryWords = {
  words: Match[]
  /** All words one after the other, and how many they are. */
  phrase: Match | undefined
  phraseWords: number
  languages: string[]
  terms: string[]
}

/** `asked`: languages that the query names; otherwise they are guessed. */
export function readWords(text: string, asked: string[]): QueryWords {
  const languages = asked.length > 0 ? asked : guessQueryLanguages(text)
  const readings = languages.map((language) => ({ language, tokens: analyse(text, language).slice(0, WORDS_MAX) }))
  const [first] = readings
  if (first === undefined || first.tokens.length === 0) {
    return { words: [], phrase: undefined, phraseWords: 0, languages, terms: [] }
  }
  const terms = [...new Set(readings.flatMap((reading) => reading.tokens.map((token) => token.term)))]
  const phrase = best(distinct(readings).flatMap((tokens) => (tokens.length < 2 ? [] : [phraseOf(tokens, 'all')])))
  return { words: wordsOf(text, readings), phrase, phraseWords: first.tokens.length, languages, terms }
}

/** Where all languages cut the text alike, each word has its alternatives; where they do not, each reading stands as a whole. */
function wordsOf(text: string, readings: Reading[]): Match[] {
  const ways = distinct(readings)
  const [first = []] = ways
  if (ways.some((tokens) => !sameCuts(tokens, first))) {
    const whole = best(ways.map((tokens): Match => ({ kind: 'every', of: tokens.map((token) => termOf(token)) })))
    return whole === undefined ? [] : [whole]
  }
  const written = first.map((token) => text.slice(token.start, token.end))
  const telling = first.map((_, i) => !isStopWord(written[i] ?? ''))
  const keepAll = !telling.includes(true)
  return first.flatMap((_, i) => {
    if (!keepAll && !telling[i]) return []
    const terms = [...new Set(ways.map((tokens) => tokens[i]?.term ?? ''))]
    const match = best(terms.map((term): Match => ({ kind: 'term', field: 'all', term })))
    return match === undefined ? [] : [match]
  })
}

function sameCuts(a: Token[], b: Token[]): boolean {
  return a.length === b.length && a.every((token, i) => token.start === b[i]?.start && token.end === b[i]?.end)
}

function distinct(readings: Reading[]): Token[][] {
  const seen = new Map(readings.map(({ tokens }) => [tokens.map((token) => token.term).join(' '), tokens]))
  return [...seen.values()].filter((tokens) => tokens.length > 0)
}

/** A text that must stand as it is, in any of the languages. Undefined if it holds no word. */
export function readPhrase(text: string, languages: string[], field: 'all' | 'title'): Match | undefined {
  const readings = languages.map((language) => ({ language, tokens: analyse(text, language).slice(0, WORDS_MAX) }))
  return best(distinct(readings).map((tokens) => phraseOf(tokens, field)))
}

function phraseOf(tokens: Token[], field: 'all' | 'title'): Match {
  return { kind: 'phrase', field, terms: tokens.map((token) => token.term) }
}

function termOf(token: Token): Match {
  return { kind: 'term', field: 'all', term: token.term }
}

function best(of: Match[]): Match | undefined {
  return of.length < 2 ? of[0] : { kind: 'best', of }
}
