import { deepEqual, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { cutWords, getCut } from './words.ts'

/** The patterns as their models' authors wrote them, with JavaScript's notion of a space replaced by Unicode's. */
const GPT_2 =
  /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu
const llama = (digits: string) =>
  new RegExp(
    String.raw`'(?:[sS\u017f]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}${digits}| ?[^\p{White_Space}\p{L}\p{N}]+[\r\n]*|\p{White_Space}*[\r\n]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+`,
    'gu',
  )

/** Characters at which the patterns turn, and some of each class. */
const PIECES = [
  [' ', '  ', '\n', '\r\n', '\t', '\u00a0', '\u3000', '\u0085', '\ufeff', "'", "'s", "'S", "'ll", "'Re", "'\u017f"],
  ['a', 'Z', 'é', 'e\u0301', '中', 'あ', '\u{10400}', '1', '23', '٣', 'Ⅷ', '½', '.', '-', '—', '😀', '\u{1f1e9}', '_'],
].flat()
const piece = fc.constantFrom(...PIECES)
const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''))

function wordsOf(text: string, pre: string): string[] {
  const words: string[] = []
  cutWords(text, getCut(pre), (from, to) => words.push(text.slice(from, to)) > 0)
  return words
}

function matches(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([word]) => word)
}

describe('words by hand are the words of the pattern', () => {
  const patterns: [string, (text: string) => string[]][] = [
    ['gpt-2', (text) => matches(text, GPT_2)],
    ['smollm', (text) => text.split(/(\p{N})/u).flatMap((part) => matches(part, GPT_2))],
    ['llama-bpe', (text) => matches(text, llama('{1,3}'))],
    ['bailingmoe', (text) => matches(text, llama(''))],
  ]
  for (const [pre, expected] of patterns) {
    test(pre, () => {
      fc.assert(
        fc.property(text, (text) => deepEqual(wordsOf(text, pre), expected(text))),
        { numRuns: 1500 },
      )
    })
  }
})

test('words are the whole text, in order', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const pre of ['gpt-2', 'smollm', 'llama3', 'qwen2']) equal(wordsOf(text, pre).join(''), text)
    }),
  )
})

test('an unknown pattern is refused with the known ones', () => {
  throws(() => getCut('tekken'), /tokenizer\.ggml\.pre is tekken; known are gpt-2, default, smollm/)
})
