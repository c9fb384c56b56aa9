import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { sentences } from './sentences.ts'

describe('a sentence ends where a reader sees its end', () => {
  const cases: [text: string, parts: string[]][] = [
    ['He paid 3.5 dollars. She did not.', ['He paid 3.5 dollars.', 'She did not.']],
    ['Dr. Smith met J. Doe. They spoke.', ['Dr. Smith met J. Doe.', 'They spoke.']],
    ['“Really?” Yes.', ['“Really?”', 'Yes.']],
    ['你好。再见！', ['你好。', '再见！']],
    ['Das ist z.B. gut. Ende.', ['Das ist z.B. gut.', 'Ende.']],
    ['A heading\nA paragraph', ['A heading', 'A paragraph']],
    ['', []],
  ]
  for (const [text, parts] of cases) {
    test(JSON.stringify(text), () =>
      deepEqual(
        sentences(text).map((sentence) => sentence.text),
        parts,
      ),
    )
  }
})

test('a text without full stops is cut into pieces that can be shown', () => {
  const pieces = sentences('word '.repeat(2_000))
  ok(pieces.length > 5 && pieces.every(({ text }) => text.length <= 1_000))
})

test('any text: sentences stand in order at the places they tell', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      let last = 0
      for (const sentence of sentences(text)) {
        ok(sentence.start >= last && sentence.end <= text.length)
        equal(text.slice(sentence.start, sentence.end).trim(), sentence.text)
        last = sentence.end
      }
    }),
  )
})
