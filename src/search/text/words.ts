import type { Token } from './analyse.ts'
import { characterClasses, classAt, DIGIT, LETTER, MARK, SEPARATOR, widthAt } from './characters.ts'
import { foldWord } from './fold.ts'
import type { WordTerms } from './stem.ts'

const WORD_UNITS_MAX = 512
/** French, Italian and Catalan write an article or pronoun onto the word: l'eau, dell'arte, d'una. */
const ELISION = /^(?:[ldjmtsnc]|qu|jusqu|lorsqu|puisqu|quoiqu|dell|dall|nell|sull|all|coll|un|quell|gl)$/i

/**
 * Reads the word that begins at `from` and pushes its terms: the word, or, where `.`, `-`, `/`, `:` hold its parts together as in
 * `node.js`, `utf-8` or `3.11`, the whole and then each part. Returns where reading goes on.
 */
export function readWord(text: string, from: number, term: WordTerms, tokens: Token[]): number {
  let at = endOfPart(text, from)
  const sign = signAfter(text, from, at)
  if (sign > 0) {
    push(tokens, foldWord(text.slice(from, at + sign)), from, at + sign)
    return at + sign
  }
  if (!isJoiner(text.charCodeAt(at)) || !isPart(text, at + 1)) {
    push(tokens, term(text.slice(from, at)), from, at)
    return at
  }
  const parts: [number, number][] = [[from, at]]
  while (isJoiner(text.charCodeAt(at)) && isPart(text, at + 1) && at - from < WORD_UNITS_MAX) {
    const start = at + 1
    at = endOfPart(text, start)
    parts.push([start, at])
  }
  pushParts(text, parts, term, tokens)
  return at
}

function pushParts(text: string, parts: [number, number][], term: WordTerms, tokens: Token[]): void {
  const from = parts[0]?.[0] ?? 0
  const to = parts.at(-1)?.[1] ?? from
  const whole = text.slice(from, to)
  if (/['’]/.test(whole)) return pushApostrophes(text, parts, term, tokens)
  if (isOneName(whole, parts.length)) push(tokens, foldWord(whole).slice(0, 64), from, to)
  for (const [start, end] of parts) push(tokens, term(text.slice(start, end)), start, end)
}

/** `node.js`, `utf-8`, `e-mail`, `3.11` are names; `well-known` and `word.Next` (a missing space) are only their parts. */
function isOneName(whole: string, parts: number): boolean {
  if (whole.length > 64) return false
  if (/\d/.test(whole)) return true
  if (whole.includes('-')) return parts === 2 && /^\p{L}-|-\p{L}$/u.test(whole)
  return !/\.\p{Lu}\p{Ll}/u.test(whole)
}

/** don't → dont, O’Reilly → oreilly, Anna's → anna, l'eau → eau. */
function pushApostrophes(text: string, parts: [number, number][], term: WordTerms, tokens: Token[]): void {
  let start = parts[0]?.[0] ?? 0
  const words: [number, number][] = []
  for (const [i, [from, to]] of parts.entries()) {
    const glued = i + 1 < parts.length && /['’]/.test(text[to] ?? '')
    if (glued && ELISION.test(text.slice(from, to))) start = parts[i + 1]?.[0] ?? start
    else if (!glued) {
      words.push([start, to])
      start = parts[i + 1]?.[0] ?? start
    }
  }
  for (const [from, to] of words) {
    const word = text.slice(from, to).replace(/['’][sS]$/, '')
    push(tokens, term(word.replaceAll(/['’]/g, '')), from, to)
  }
}

function push(tokens: Token[], term: string, start: number, end: number): void {
  if (term !== '') tokens.push({ term, position: tokens.length, start, end })
}

/** End of the letters, digits and marks that begin at `at`. */
function endOfPart(text: string, at: number): number {
  const classes = characterClasses()
  const limit = Math.min(text.length, at + WORD_UNITS_MAX)
  while (at < limit) {
    const kind = classes[text.charCodeAt(at)] ?? SEPARATOR
    if (kind === LETTER || kind === DIGIT || kind === MARK) at++
    else if (kind > 7 && isWordClass(classAt(text, at))) at += widthAt(text, at)
    else break
  }
  return at
}

function isPart(text: string, at: number): boolean {
  const kind = at < text.length ? classAt(text, at) : SEPARATOR
  return kind === LETTER || kind === DIGIT
}

function isWordClass(kind: number): boolean {
  return kind === LETTER || kind === DIGIT || kind === MARK
}

/** `.`, `-`, `'` and `’` between two parts. */
function isJoiner(unit: number): boolean {
  return unit === 46 || unit === 45 || unit === 39 || unit === 0x2019
}

/** Units of `++` or `#` that belong to a name of one or two letters: c++, g++, c#, f#. */
function signAfter(text: string, from: number, at: number): number {
  const unit = text.charCodeAt(at)
  if (unit !== 43 && unit !== 35) return 0
  if (unit === 43) return text.charCodeAt(at + 1) === 43 && !isPart(text, at + 2) ? 2 : 0
  return at - from === 1 && !isPart(text, at + 1) ? 1 : 0
}
