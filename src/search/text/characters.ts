/** What a UTF-16 unit is to the tokenizer. One table of 64 KiB, made at the first use, so that a look costs one load. */
export const SEPARATOR = 0
export const LETTER = 1
export const DIGIT = 2
/** Belongs to the letter before it. */
export const MARK = 3
export const HAN = 4
export const KANA = 5
export const HANGUL = 6
/** Scripts that write no spaces and have no dictionary here: Thai, Lao, Khmer, Burmese. */
export const UNSPACED = 7
/** First half of a pair: ask `classOf` of the whole code point. */
const HIGH_SURROGATE = 8

let table: Uint8Array | undefined

/** The table of all 65,536 units: hot loops hold it themselves. */
export function characterClasses(): Uint8Array {
  if (table !== undefined) return table
  table = new Uint8Array(65_536)
  for (let unit = 0; unit < 65_536; unit++) {
    table[unit] = unit >= 0xd800 && unit < 0xdc00 ? HIGH_SURROGATE : classify(String.fromCharCode(unit))
  }
  return table
}

/** Class and width (1 or 2 units) of the character at `at`. */
export function classAt(text: string, at: number): number {
  const found = characterClasses()[text.charCodeAt(at)] ?? SEPARATOR
  if (found !== HIGH_SURROGATE) return found
  const codePoint = text.codePointAt(at) ?? 0
  return codePoint < 0x10000 ? SEPARATOR : classify(String.fromCodePoint(codePoint))
}

/** Units of the character at `at`. */
export function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}

const CLASSES: [RegExp, number][] = [
  [/[\p{Script=Han}々〆〇]/u, HAN],
  [/[\p{Script=Hiragana}\p{Script=Katakana}ーｰ゛゜]/u, KANA],
  [/\p{Script=Hangul}/u, HANGUL],
  [/[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u, UNSPACED],
  // Soft hyphens and joiners stand inside words and vanish when a word is folded.
  [/\p{M}|\u00ad|\u200c|\u200d|\u0640/u, MARK],
  [/\p{Nd}/u, DIGIT],
  [/[\p{L}\p{N}_]/u, LETTER],
]

function classify(character: string): number {
  for (const [pattern, found] of CLASSES) if (pattern.test(character)) return found
  return SEPARATOR
}
