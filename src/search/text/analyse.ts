import {
  characterClasses,
  classAt,
  DIGIT,
  HAN,
  HANGUL,
  KANA,
  LETTER,
  MARK,
  SEPARATOR,
  UNSPACED,
  widthAt,
} from './characters.ts'
import { cutChinese } from './chinese.ts'
import { stripParticle } from './korean.ts'
import { cutByDictionary, type Piece } from './segment.ts'
import { termsOf } from './stem.ts'
import { readWord } from './words.ts'

/** One term of a text. `position` counts tokens; `start` and `end` are UTF-16 offsets in the text as given. */
export type Token = { term: string; position: number; start: number; end: number }

/** A run of one writing is cut in pieces of this size: nothing here may depend on the length of a hostile run. */
const RUN_MAX = 20_000

/**
 * The terms of a text, in order: what every index engine stores and every query asks for. `language` is that of the
 * document (ISO 639-1) and chooses the stemmer; the writing system chooses how words are found. Terms are NFKC, lower case,
 * stemmed, without accents, at most 64 characters, and never hold white space. Equal input gives equal output, always.
 */
export function analyse(text: string, language: string | undefined): Token[] {
  const tokens: Token[] = []
  const term = termsOf(language)
  const classes = characterClasses()
  let at = 0
  while (at < text.length) {
    let kind = classes[text.charCodeAt(at)] ?? SEPARATOR
    if (kind > UNSPACED) kind = classAt(text, at)
    if (kind === LETTER || kind === DIGIT) at = readWord(text, at, term, tokens)
    else if (kind >= HAN) at = readRun(text, at, kind, { language, tokens })
    else at += kind === SEPARATOR && text.charCodeAt(at) === 46 ? readDotNet(text, at, tokens) : widthAt(text, at)
  }
  return tokens
}

/** `.NET` is a name: the dot is its first letter. */
function readDotNet(text: string, at: number, tokens: Token[]): number {
  const next = text.charCodeAt(at + 1) | 32
  if (next !== 110 || !/^\.net\b/i.test(text.slice(at, at + 5))) return 1
  if (at > 0 && (characterClasses()[text.charCodeAt(at - 1)] ?? SEPARATOR) !== SEPARATOR) return 1
  tokens.push({ term: '.net', position: tokens.length, start: at, end: at + 4 })
  return 4
}

type Run = { language: string | undefined; tokens: Token[] }

/** Text of a script without spaces (or Korean, whose words carry particles), up to where another writing begins. */
function readRun(text: string, at: number, kind: number, { language, tokens }: Run): number {
  let end = at
  let kana = kind === KANA
  while (end < text.length && end - at < RUN_MAX) {
    const next = classAt(text, end)
    if (!(next === kind || next === MARK || (isJapanese(next) && isJapanese(kind)))) break
    kana ||= next === KANA
    end += widthAt(text, end)
  }
  const run = text.slice(at, end)
  const shown = run.normalize('NFKC')
  for (const piece of cutRun(shown, kind, kana || language === 'ja')) {
    const term = piece.term.slice(0, 64)
    if (term.trim() === '') continue
    // Half-width letters change their number when they are normalised: then the run as a whole is the place.
    const same = shown.length === run.length
    tokens.push({
      term,
      position: tokens.length,
      start: same ? at + piece.start : at,
      end: same ? at + piece.end : end,
    })
  }
  return end
}

function isJapanese(kind: number): boolean {
  return kind === HAN || kind === KANA
}

function cutRun(run: string, kind: number, japanese: boolean): Piece[] {
  if (kind === HANGUL) return [{ term: stripParticle(run), start: 0, end: run.length }]
  if (kind === UNSPACED) return cutByDictionary(run, 'th')
  return japanese ? cutByDictionary(run, 'ja') : cutChinese(run)
}
