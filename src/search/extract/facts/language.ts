import { eld } from 'eld/small'
import type { Head } from './head.ts'
import { metaOf } from './head.ts'

/** So much of the text is looked at, in three places: detection is sure long before, and a text's first lines are often foreign. */
const SAMPLE_CHARACTERS = 1_200
const SAMPLES = [0.1, 0.4, 0.7]

/**
 * The page's language, two letters. Scripts of one language decide at once; else what the page declares is checked against what its
 * words look like, since many templates declare English for everything.
 */
export function readLanguage(head: Head, text: string): string | undefined {
  const sample = sampleOf(text)
  const declared =
    code(head.language) ?? code(metaOf(head, 'content-language', 'og:locale', 'language', 'dc.language') ?? '')
  const letters = (sample.match(/\p{L}/gu) ?? []).length
  const script = byScript(sample, letters)
  if (script !== undefined) return script
  if (letters < 40) return declared
  const found = eld.detect(sample)
  if (found.language === '' || (!found.isReliable() && declared !== undefined)) return declared
  // A page about code is full of English: its beginning decides.
  if (declared !== undefined && eld.detect(text.slice(0, SAMPLE_CHARACTERS)).language === declared) return declared
  // Close relatives are told apart better by people than by letter statistics.
  if (declared !== undefined && areClose(declared, found.language)) return declared
  return found.language
}

function sampleOf(text: string): string {
  if (text.length <= 4 * SAMPLE_CHARACTERS) return text.slice(0, SAMPLE_CHARACTERS)
  const pieces = SAMPLES.map((place) => Math.floor(place * text.length))
  return pieces.map((from) => text.slice(from, from + SAMPLE_CHARACTERS / SAMPLES.length)).join(' ')
}

function byScript(sample: string, letters: number): string | undefined {
  if (letters < 4) return undefined
  const count = (pattern: RegExp): number => (sample.match(pattern) ?? []).length
  const han = count(/\p{Script=Han}/gu)
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu)
  const hangul = count(/\p{Script=Hangul}/gu)
  if (hangul > 0.3 * letters) return 'ko'
  if (kana > 0.1 * letters) return 'ja'
  // One Han character says as much as several letters of an English term beside it.
  if (han > 0.2 * letters) return kana > 0.03 * letters ? 'ja' : 'zh'
  return undefined
}

const CLOSE = [
  new Set(['no', 'nb', 'nn', 'da']),
  new Set(['hr', 'bs', 'sr', 'sl']),
  new Set(['id', 'ms']),
  new Set(['cs', 'sk']),
  new Set(['gl', 'pt', 'es']),
]

function areClose(a: string, b: string): boolean {
  return CLOSE.some((family) => family.has(a) && family.has(b))
}

function code(tag: string): string | undefined {
  const primary = /^([a-z]{2})(?:$|[-_])/i.exec(tag.trim())?.[1]?.toLowerCase()
  return primary === 'nb' || primary === 'nn' ? 'no' : primary
}
