import { equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { buildWordFinder } from './find-words.ts'
import { makeSnippet, SNIPPET_MAX, SNIPPET_MIN } from './snippet.ts'
import { makeSummary, SUMMARY_MAX, SUMMARY_MIN } from './summary.ts'

const FILLER = 'The morning was grey and the streets were empty. '.repeat(20)

describe('a snippet', () => {
  test('stands around the words of the query, and begins with their sentence where it can', () => {
    const text = `${FILLER}Only the lighthouse keeper was awake.\n${FILLER}`
    const find = buildWordFinder(['lighthous'], ['lighthouses'])
    const snippet = makeSnippet(text, find(text))
    match(snippet, /^Only the lighthouse keeper was awake\. The morning/)
    match(snippet, /…$/)
  })

  test('is the beginning where no word is found, and the whole of a short text', () => {
    match(makeSnippet(FILLER, []), /^The morning was grey/)
    equal(makeSnippet(' Short\n text ', []), 'Short text')
  })

  const anyText = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 3_000 }),
    fc
      .array(fc.constantFrom('red', '搜索引擎。', 'Wort ', 'a. ', '\n', '😀', '   ', 'x'.repeat(300)), {
        maxLength: 400,
      })
      .map((parts) => parts.join('')),
  )
  const anyWords = fc.array(fc.oneof(fc.constantFrom('red', '搜索', 'wort', '😀', 'c++', 'a-b'), fc.string()), {
    maxLength: 5,
  })

  test('has 150 to 250 characters of a longer text, on one line, with whole characters', () => {
    fc.assert(
      fc.property(anyText, anyWords, (text, words) => {
        const snippet = makeSnippet(text, buildWordFinder(words, words)(text))
        const whole = text.replaceAll(/\s+/g, ' ').trim()
        ok(snippet.length <= SNIPPET_MAX)
        ok(whole.length <= SNIPPET_MAX ? snippet === whole : snippet.length >= SNIPPET_MIN, `${snippet.length}`)
        ok(!/[\n\r\t]| {2}/.test(snippet))
        if (text.isWellFormed()) ok(snippet.isWellFormed())
      }),
    )
    for (const words of [[], ['grey'], ['empty', 'streets']]) {
      const { length } = makeSnippet(FILLER, buildWordFinder(words, words)(FILLER))
      ok(length >= SNIPPET_MIN && length <= SNIPPET_MAX)
    }
  })

  test('a summary has 300 to 1,000 characters of a longer text, or all of a shorter one', () => {
    fc.assert(
      fc.property(anyText, anyWords, (text, words) => {
        const summary = makeSummary(text, 'en', buildWordFinder(words, words)(text))
        const whole = text.replaceAll(/\s+/g, ' ').trim()
        ok(summary.length <= SUMMARY_MAX)
        ok(whole.length <= SUMMARY_MAX ? summary === whole : summary.length >= SUMMARY_MIN)
        if (text.isWellFormed()) ok(summary.isWellFormed())
      }),
    )
  })

  test('a summary holds the sentences that the query asks for', () => {
    const text = `${FILLER}Only the lighthouse keeper was awake. ${FILLER}`
    match(makeSummary(text, 'en', buildWordFinder(['lighthous'], ['lighthouse'])(text)), /lighthouse keeper was awake/)
  })
})

describe('words of a query in a text', () => {
  const cases: [string, string, string[]][] = [
    ['libraries', 'The library has libraries.', ['libraries', 'library']],
    ['real-gas', 'A real-gas effect, real gas.', ['real-gas']],
    ['搜索', '全文搜索引擎', ['搜索']],
    ['c++', 'C++ and C', ['C++']],
    ['Häuser', 'Viele HÄUSER stehen hier', ['HÄUSER']],
    ['the', 'the end', ['the']],
    ['the end', 'the end', ['end']],
  ]
  for (const [query, text, found] of cases) {
    test(`${query} in "${text}"`, () => {
      const words = query.split(' ')
      const places = buildWordFinder(
        words.map((word) => word.toLowerCase().slice(0, 6)),
        words,
      )(text)
      equal(
        places
          .map(({ start, end }) => text.slice(start, end))
          .toSorted()
          .join(),
        found.toSorted().join(),
      )
    })
  }

  test('no text and no query is too strange', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.string({ unit: 'binary' }), (words, text) => {
        for (const { start, end } of buildWordFinder(words, words)(text)) ok(start < end && end <= text.length)
      }),
    )
  })
})
