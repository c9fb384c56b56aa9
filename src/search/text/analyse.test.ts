import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { analyse } from './analyse.ts'

const termsOf = (text: string, language?: string): string =>
  analyse(text, language)
    .map(({ term }) => term)
    .join(' ')

describe('words are found, folded and stemmed by the language of the document', () => {
  const cases: [language: string | undefined, text: string, terms: string][] = [
    ['en', 'The running dogs run', 'the run dog run'],
    ['de', 'Häuser und Bücher', 'haus und buch'],
    ['fr', 'l’homme', 'homm'],
    ['ru', 'книги о программировании', 'книг о программирован'],
    ['tr', 'İstanbul', 'istanbul'],
    [undefined, 'running dogs', 'run dog'],
    ['ja', 'running dogs', 'run dog'],
    ['ru', 'running dogs', 'run dog'],
    ['pl', 'running dogs', 'run dog'],
    ['en', 'Café ＡＢＣ１', 'cafe abc1'],
    ['en', 'soft\u00adhyphen', 'softhyphen'],
  ]
  for (const [language, text, terms] of cases)
    test(`${language} ${text} → ${terms}`, () => equal(termsOf(text, language), terms))
})

describe('names of code stay whole, and can be found by their parts', () => {
  const cases: Record<string, string[]> = {
    'C++': ['c++'],
    'C#': ['c#'],
    '.NET': ['.net'],
    'Node.js': ['node.js', 'node', 'js'],
    'UTF-8': ['utf-8', 'utf', '8'],
    foo_bar: ['foo_bar'],
    'v1.2.3': ['v1.2.3', 'v1'],
    '3.14': ['3.14'],
  }
  for (const [text, wanted] of Object.entries(cases)) {
    test(text, () => {
      const terms = analyse(text, 'en').map(({ term }) => term)
      ok(
        wanted.every((term) => terms.includes(term)),
        terms.join(' '),
      )
    })
  }
})

describe('writings without spaces are cut into words', () => {
  const cases: [language: string | undefined, text: string, wanted: string[]][] = [
    ['zh', '南京市长江大桥的搜索引擎', ['南京市', '长江', '大桥', '长江大桥', '搜索引擎', '搜索']],
    ['ja', '東京都に住んでいます。検索エンジン', ['東京', '検索', 'エンジン']],
    ['ko', '서울에서 검색엔진을', ['서울', '검색엔진']],
    [undefined, '学习 Python 编程', ['学习', 'python', '编程']],
  ]
  for (const [language, text, wanted] of cases) {
    test(text, () => {
      const terms = analyse(text, language).map(({ term }) => term)
      ok(
        wanted.every((term) => terms.includes(term)),
        terms.join(' '),
      )
    })
  }
})

test('a half-width Japanese word is found like a full-width one', () =>
  equal(termsOf('ﾃｽﾄ', 'ja'), termsOf('テスト', 'ja')))

test('offsets point at the word in the text as given', () => {
  const text = 'Über C++: 搜索引擎!'
  const shown = analyse(text, 'de').map(({ start, end }) => text.slice(start, end))
  deepEqual(shown.slice(0, 2), ['Über', 'C++'])
  ok(shown.includes('搜索引擎'))
})

test('any text: terms are short, without white space, in order, and the same each time', () => {
  const text = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('搜索引擎', 'テスト', '서울에서', 'c++', '.net', '\ud800', '-'),
      ),
    )
    .map((parts) => parts.join(' '))
  fc.assert(
    fc.property(text, fc.constantFrom('en', 'de', 'zh', 'ja', 'ko', 'xx', undefined), (given, language) => {
      const tokens = analyse(given, language)
      for (const [i, { term, position, start, end }] of tokens.entries()) {
        ok(term.length > 0 && term.length <= 64 && !/\s/u.test(term), JSON.stringify(term))
        equal(position, i)
        ok(start >= 0 && start < end && end <= given.length)
      }
      deepEqual(analyse(given, language), tokens)
    }),
    { examples: [['\ufe72 a\ufe72b', 'en']] },
  )
})

test('a hostile run of one letter costs what its length costs', () => {
  const startedAt = performance.now()
  analyse('的'.repeat(200_000), 'zh')
  analyse('a'.repeat(1_000_000), 'en')
  analyse('ア'.repeat(200_000), 'ja')
  analyse('a-'.repeat(300_000), 'en')
  ok(performance.now() - startedAt < 8_000)
})
