import snowball from 'snowball-stemmers'
import { foldWord } from './fold.ts'

/** Languages with a Snowball algorithm (snowballstem.org), by ISO 639-1. */
const ALGORITHMS: Record<string, string> = {
  ar: 'arabic',
  hy: 'armenian',
  eu: 'basque',
  ca: 'catalan',
  cs: 'czech',
  da: 'danish',
  nl: 'dutch',
  en: 'english',
  fi: 'finnish',
  fr: 'french',
  de: 'german',
  hu: 'hungarian',
  it: 'italian',
  ga: 'irish',
  no: 'norwegian',
  nb: 'norwegian',
  nn: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  es: 'spanish',
  sl: 'slovene',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
}
/** Of these, those that are not written in Latin letters. */
const OTHER_SCRIPTS = new Set(['ar', 'hy', 'ru', 'ta'])
/** Words remembered per language: a stem costs 7 to 30 µs, a look 50 ns, and few words make most of any text. */
const MEMORY_WORDS = 200_000
const TERM_CHARACTERS_MAX = 64

export type WordTerms = (word: string) => string

const known = new Map<string, WordTerms>()

/** One function per language: a word as written → its term ('' when nothing is left). Same word, same term, always. */
export function termsOf(language: string | undefined): WordTerms {
  const name = language !== undefined && language in ALGORITHMS ? language : ''
  const found = known.get(name)
  if (found !== undefined) return found
  const made = remember(makeTerms(name))
  known.set(name, made)
  return made
}

export function hasStemmer(language: string): boolean {
  return language in ALGORITHMS
}

function makeTerms(language: string): WordTerms {
  const stem = stemmerOf(language)
  return (word) => {
    const lower = lowerWord(word, language).slice(0, TERM_CHARACTERS_MAX)
    // What holds a digit is a name or a number: it has no endings.
    return foldWord(/\d/.test(lower) ? lower : stem(lower), language).slice(0, TERM_CHARACTERS_MAX)
  }
}

/**
 * Latin words are English where their language has no stemmer or another script, as they are in a query of which nothing is known:
 * otherwise an English name on a Japanese page would be another term than the one that is asked for.
 */
function stemmerOf(language: string): (word: string) => string {
  const english = snowball.newStemmer('english')
  const own = snowball.newStemmer(ALGORITHMS[language] ?? 'english')
  if (language in ALGORITHMS && !OTHER_SCRIPTS.has(language)) return (word) => own.stem(word)
  return (word) => {
    if (/^\p{sc=Latin}/u.test(word)) return english.stem(word)
    return language in ALGORITHMS ? own.stem(word) : word
  }
}

function lowerWord(word: string, language: string): string {
  const plain = word.normalize('NFKC').replaceAll(/\u00ad|\u200c|\u200d|\u0640/g, '')
  return (language === 'tr' ? plain.toLocaleLowerCase('tr') : plain.toLowerCase()).normalize('NFC')
}

function remember(make: WordTerms): WordTerms {
  let recent = new Map<string, string>()
  let older = new Map<string, string>()
  return (word) => {
    const term = recent.get(word)
    if (term !== undefined) return term
    const made = older.get(word) ?? flat(make(word))
    // What is met again moves over, so that common words outlive the names that each page brings.
    if (recent.size >= MEMORY_WORDS / 2) [older, recent] = [recent, new Map()]
    recent.set(flat(word), made)
    return made
  }
}

/** A slice keeps the whole page alive that it was cut from; a copy does not. */
function flat(text: string): string {
  return text.length < 13 ? text : Buffer.from(text, 'utf16le').toString('utf16le')
}
