import { isStopWord } from './stop-words.ts'

/** A place in a text where a word of the query stands; `word` numbers it. */
export type Place = { word: number; start: number; end: number }

/** Stems shorter than this are matched whole, longer ones by their beginning: `librari` stands for `library` and `libraries`. */
const STEM_PREFIX_MIN = 5
const PLACES_MAX = 400
/** Written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Kana}\p{sc=Hira}\p{sc=Thai}]/u

/**
 * Where words of a query stand in a text, by their written beginnings: analysing every shown text again would cost more than the search.
 * `terms` are analysed, `written` as typed; what the analysis alone can see (an accent taken away) is left to `written`.
 */
export function buildWordFinder(terms: string[], written: string[]): (text: string) => Place[] {
  const words = [...new Set([...written.map((word) => word.toLowerCase()), ...terms])]
  const spoken = words.filter((word) => /[\p{L}\p{N}]/u.test(word))
  const telling = spoken.filter((word) => !isStopWord(word))
  const stems = (telling.length === 0 ? spoken : telling).map((word) => beginningOf(word))
  if (stems.length === 0) return () => []
  const pattern = new RegExp(stems.map((stem) => `(${patternOf(stem)})`).join('|'), 'giu')
  const group = groupsOf(stems)
  return (text) => {
    const places: Place[] = []
    for (const match of text.matchAll(pattern)) {
      const way = match.findIndex((each, i) => i > 0 && each !== undefined) - 1
      places.push({ word: group[way] ?? way, start: match.index, end: match.index + match[0].length })
      if (places.length === PLACES_MAX) break
    }
    return places
  }
}

function patternOf(stem: string): string {
  const escaped = RegExp.escape(stem)
  if (UNSPACED.test(stem)) return escaped
  return `(?<![\\p{L}\\p{N}])${escaped}[\\p{L}\\p{N}]{0,${stem.length < STEM_PREFIX_MIN ? 2 : 6}}(?![\\p{L}\\p{N}])`
}

function beginningOf(stem: string): string {
  return stem.length > STEM_PREFIX_MIN && /[\p{L}]$/u.test(stem) ? stem.slice(0, -1) : stem
}

/** Ways to write one word count as one: `library` as typed and `librar` as its beginning. */
function groupsOf(stems: string[]): number[] {
  return stems.map((stem, i) => {
    const same = stems.findIndex((other) => stem.startsWith(other.slice(0, 4)) && other.startsWith(stem.slice(0, 4)))
    return same < 0 ? i : same
  })
}
