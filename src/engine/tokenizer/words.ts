/**
 * The patterns that cut text into words before merging, written out by hand: they are linear whatever the text, where
 * V8's regular expressions run out of stack on a few million letters in a row. Names as in `tokenizer.ggml.pre`.
 */
import { WeightsError } from '../weights/errors.ts'
import { characterClasses, LETTER, NUMBER, OTHER, SPACE } from './character-classes.ts'

/** Tells where the word that begins at `from` ends; `end` is where the text ends for it. */
type WordEnd = (text: string, from: number, end: number) => number

export type Cut = {
  wordEnd: WordEnd
  /** Every digit stands alone, and a word ends before it (SmolLM's first step). */
  digitsApart: boolean
  /** A word that is a token is taken whole, without merging (Llama 3). */
  wholeWords: boolean
}

const LLAMA_3 = { wordEnd: llamaWordEnd(3), digitsApart: false, wholeWords: true }
const ONE_DIGIT = { wordEnd: llamaWordEnd(1), digitsApart: false, wholeWords: false }
const GPT_2 = { wordEnd: gptWordEnd, digitsApart: false, wholeWords: false }

const CUTS: Readonly<Record<string, Cut>> = {
  'gpt-2': GPT_2,
  default: GPT_2,
  smollm: { ...GPT_2, digitsApart: true },
  'llama-bpe': LLAMA_3,
  llama3: LLAMA_3,
  qwen2: ONE_DIGIT,
  bailingmoe: ONE_DIGIT,
  bailingmoe2: ONE_DIGIT,
  'llada-moe': ONE_DIGIT,
}

export function getCut(pre: string): Cut {
  const cut = CUTS[pre]
  if (cut !== undefined) return cut
  throw new WeightsError(`tokenizer.ggml.pre is ${pre}; known are ${Object.keys(CUTS).join(', ')}`)
}

/** Calls `take` for each word in order until it returns false. */
export function cutWords(text: string, cut: Cut, take: (from: number, to: number) => boolean): void {
  let at = 0
  while (at < text.length) {
    const end = cut.digitsApart ? beforeDigit(text, at) : text.length
    // A digit at `at` itself is a word.
    if (end === at) {
      const next = at + width(text, at)
      if (!take(at, next)) return
      at = next
    }
    while (at < end) {
      const next = cut.wordEnd(text, at, end)
      if (!take(at, next)) return
      at = next
    }
  }
}

function beforeDigit(text: string, from: number): number {
  let at = from
  while (at < text.length && classAt(text, at) !== NUMBER) at += width(text, at)
  return at
}

/**
 * `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+` (openai/gpt-2, src/encoder.py).
 */
function gptWordEnd(text: string, from: number, end: number): number {
  const short = shortForm(text, from, end, false)
  if (short > from) return short
  const begin = text[from] === ' ' && from + 1 < end && classAt(text, from + 1) !== SPACE ? from + 1 : from
  const kind = classAt(text, begin)
  return kind === SPACE ? spaceEnd(text, from, end) : runEnd(text, begin, end, kind)
}

/**
 * `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,n}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
 * (Llama 3's with n = 3; Qwen 2's, Ling's and LLaDA's with n = 1).
 */
function llamaWordEnd(digitsMax: number): WordEnd {
  return (text, from, end) => {
    const short = shortForm(text, from, end, true)
    if (short > from) return short
    const kind = classAt(text, from)
    if (kind === LETTER) return runEnd(text, from, end, LETTER)
    if (kind === NUMBER) return digitsEnd(text, from, end, digitsMax)
    const next = from + width(text, from)
    const nextKind = next < end ? classAt(text, next) : SPACE
    if (!isNewline(text, from) && nextKind === LETTER) return runEnd(text, next, end, LETTER)
    if (kind === OTHER) return newlinesEnd(text, runEnd(text, from, end, OTHER), end)
    if (text[from] === ' ' && nextKind === OTHER) return newlinesEnd(text, runEnd(text, next, end, OTHER), end)
    return linesEnd(text, from, end)
  }
}

/** `\s*[\r\n]+|\s+(?!\S)|\s+`: up to the last line break of the run, else as spaces. */
function linesEnd(text: string, from: number, end: number): number {
  for (let at = runEnd(text, from, end, SPACE); at > from; at--) if (isNewline(text, at - 1)) return at
  return spaceEnd(text, from, end)
}

/** `\s+(?!\S)|\s+`: the last space of a run belongs to the word behind it, unless it is alone. Spaces are one unit wide. */
function spaceEnd(text: string, from: number, end: number): number {
  const run = runEnd(text, from, end, SPACE)
  return run === end || run - from === 1 ? run : run - 1
}

function digitsEnd(text: string, from: number, end: number, digitsMax: number): number {
  let at = from
  for (let n = 0; n < digitsMax && at < end && classAt(text, at) === NUMBER; n++) at += width(text, at)
  return at
}

function newlinesEnd(text: string, from: number, end: number): number {
  let at = from
  while (at < end && isNewline(text, at)) at++
  return at
}

function runEnd(text: string, from: number, end: number, kind: number): number {
  let at = from
  while (at < end && classAt(text, at) === kind) at += width(text, at)
  return at
}

/** End of `'s`, `'re` and their like, or `from`. With `anyCase` U+017F counts as s, as Unicode folds it. */
function shortForm(text: string, from: number, end: number, anyCase: boolean): number {
  if (text[from] !== "'") return from
  const two = text.slice(from + 1, Math.min(from + 3, end))
  const letters = anyCase ? two.toLowerCase().replace('\u017f', 's') : two
  if (['re', 've', 'll'].includes(letters)) return from + 3
  return letters !== '' && 'stmd'.includes(letters.charAt(0)) ? from + 2 : from
}

function isNewline(text: string, at: number): boolean {
  return text[at] === '\n' || text[at] === '\r'
}

function classAt(text: string, at: number): number {
  return characterClasses()[text.codePointAt(at) ?? 0] ?? OTHER
}

function width(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
