import { isStopWord } from './stop-words.ts'

/** A place in a text where a word of the query stands; `word` numbers it. */
export type Place = { word: number; start: number; end: number }

/** Stems shorter than this are matched nearly whole, longer ones by their beginning: `librari` stands for `library` and `libraries`. */
const STEM_PREFIX_MIN = 5
/** Letters that may follow a stem. */
const ENDING_MAX = { short: 2, long: 6 } as const
/** Of each word. */
const PLACES_MAX = 100
/** Written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Kana}\p{sc=Hira}\p{sc=Thai}]/u
const LETTER = /[\p{L}\p{M}\p{N}]/u

/**
 * Where words of a query stand in a text, by their written beginnings: analysing every shown text again would cost more than the search.
 * `terms` are analysed, `written` as typed; what the analysis alone can see (an accent taken away) is left to `written`.
 */
export function buildWordFinder(terms: string[], written: string[]): (text: string) => Place[] {
  const words = [...new Set([...written, ...terms].map((word) => word.toLowerCase()))]
  const spoken = words.filter((word) => LETTER.test(word))
  const telling = spoken.filter((word) => !isStopWord(word))
  const stems = [...new Set((telling.length === 0 ? spoken : telling).map((word) => beginningOf(word)))]
  const group = groupsOf(stems)
  return (text) => {
    const lower = lowerOf(text)
    const places = stems.flatMap((stem, i) => placesOf(stem, lower, group[i] ?? i))
    places.sort((a, b) => a.start - b.start || b.end - a.end)
    return places.filter((place, i) => i === 0 || place.start >= (places[i - 1]?.end ?? 0))
  }
}

function beginningOf(stem: string): string {
  return stem.length > STEM_PREFIX_MIN && /\p{L}$/u.test(stem) ? stem.slice(0, -1) : stem
}

/** Ways to write one word count as one: `library` as typed and `librar` as its beginning. */
function groupsOf(stems: string[]): number[] {
  return stems.map((stem, i) => {
    const same = stems.findIndex((other) => stem.startsWith(other.slice(0, 4)) && other.startsWith(stem.slice(0, 4)))
    return same < 0 ? i : same
  })
}

function placesOf(stem: string, lower: string, word: number): Place[] {
  const whole = UNSPACED.test(stem)
  const endingMax = stem.length < STEM_PREFIX_MIN ? ENDING_MAX.short : ENDING_MAX.long
  const places: Place[] = []
  for (let start = lower.indexOf(stem); start >= 0 && places.length < PLACES_MAX;) {
    const end = whole ? start + stem.length : endOfWord(lower, start, start + stem.length, endingMax)
    if (end > 0) places.push({ word, start, end })
    start = lower.indexOf(stem, Math.max(end, start + stem.length))
  }
  return places
}

/** -1 if the word begins before `start`, or goes on for longer than `endingMax`. */
function endOfWord(text: string, start: number, stemEnd: number, endingMax: number): number {
  if (start > 0 && isLetterAt(text, start - 1)) return -1
  let end = stemEnd
  while (end < text.length && isLetterAt(text, end)) {
    if (end - stemEnd >= endingMax) return -1
    end++
  }
  return end
}

function isLetterAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  if (unit < 128) return (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90)
  return LETTER.test(text.charAt(at))
}

/** In lower case, every unit at its place: the few letters whose lower case is longer stay as they are. */
function lowerOf(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replaceAll(/[^\u0130]+/g, (part) => part.toLowerCase())
}
