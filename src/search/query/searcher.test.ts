import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { askPages, openFolder, requestOf } from '../../../test/support/local-search.ts'
import { makePage } from '../../../test/support/pages.ts'
import type { PageDocument } from '../document.ts'
import { sqliteEngine } from '../index/sqlite/engine.ts'
import { findTantivyEngine } from '../index/tantivy/engine.ts'
import type { SearchAnswer, SearchRequest } from '../search.ts'
import type { Searcher } from './searcher.ts'

const DAY = 86_400_000
/** Midnight of 10 May 2026 in UTC+8. */
const MAY_10 = Date.parse('2026-05-10T00:00:00+08:00')
const SHOP = 'https://shop.example/'
const links = ['prices', 'opening', 'imprint', 'garden'].map((name) => {
  return { url: `${SHOP}${name}`, anchor: name === 'garden' ? 'The garden' : name, nofollow: false, navigation: true }
})

const PAGES: PageDocument[] = [
  makePage('https://a.example/zh', '南京市长江大桥于1968年建成通车。它是中国自行设计的铁路公路两用桥。', {
    language: 'zh',
  }),
  makePage('https://a.example/zh2', '全文搜索引擎建立倒排索引，然后回答查询。', { language: 'zh' }),
  makePage('https://b.example/ja', '東京の図書館は毎週月曜日に休みます。本を返すことはできます。', { language: 'ja' }),
  makePage('https://c.example/de', 'Die Häuser am Fluss wurden im Winter verkauft. Der Bürgermeister freute sich.', {
    language: 'de',
  }),
  makePage('https://d.example/ru', 'Большие корабли стояли в гавани до самой весны.', { language: 'ru' }),
  makePage('https://e.example/libraries', 'Public libraries lend books. Everybody may come.', {
    contentType: 'application/pdf',
  }),
  makePage('https://sub.e.example/other', 'A library of old maps. Books too.'),
  makePage('https://note.example/', 'Not books but notes. Libraries hold them.'),
  makePage(SHOP, 'The shop. We sell lamps.', { title: 'Welcome', siteName: 'Lamp Shop', links }),
  ...['prices', 'opening', 'imprint'].map((name) => makePage(`${SHOP}${name}`, `All about ${name}. Lamp shop.`)),
  makePage('https://adult.example/', 'Lamp of another kind.', { adult: 0.9 }),
  makePage('https://t.example/last', 'Tide table.', { published: { at: MAY_10 - 1, dayOnly: false, confidence: 0.9 } }),
  makePage('https://t.example/first', 'Tide table.', { published: { at: MAY_10, dayOnly: true, confidence: 0.9 } }),
  makePage('https://t.example/end', 'Tide table.', {
    published: { at: MAY_10 + DAY - 1_000, dayOnly: false, confidence: 0.9 },
  }),
  makePage('https://t.example/next', 'Tide table.', {
    published: { at: MAY_10 + DAY, dayOnly: true, confidence: 0.9 },
  }),
  makePage('https://t.example/unsure', 'Tide table.', {
    published: { at: MAY_10, dayOnly: true, confidence: 0.1 },
    firstSeenAt: MAY_10 + 9 * DAY,
  }),
  ...Array.from({ length: 130 }, (_, i) =>
    makePage(
      `https://h${i % 9}.example/p/${i}`,
      `Page ${i} of the ${i % 3 === 0 ? 'red' : 'blue'} river. ${'water '.repeat(i % 5)}`,
      {
        simhash: [Math.imul(i + 1, 0x9e3779b1) >>> 0, Math.imul(i + 1, 0x85ebca77) >>> 0],
      },
    ),
  ),
]

const urlsOf = (answer: SearchAnswer): string[] => answer.pages.results.map(({ url }) => url)
const paths = (answer: SearchAnswer): string[] =>
  urlsOf(answer)
    .map((url) => new URL(url).pathname.slice(1))
    .sort()

const ENGINES = [sqliteEngine, findTantivyEngine()].flatMap((engine) => engine ?? [])
for (const { name } of ENGINES) {
  describe(`a query over ${name}`, () => {
    const opened = openFolder(PAGES, name === 'tantivy' ? 'tantivy' : 'sqlite')
    after(() => opened.close())
    const ask = (query: string, more?: Partial<SearchRequest>): SearchAnswer => askPages(opened.searcher, query, more)
    testQueries(ask)
    testPaging(ask)
    testManners(ask)
  })
}

type Ask = (query: string, more?: Partial<SearchRequest>) => SearchAnswer

function testQueries(ask: Ask): void {
  const languages: [string, string][] = [
    ['长江大桥', 'https://a.example/zh'],
    ['搜索引擎', 'https://a.example/zh2'],
    ['倒排索引 查询', 'https://a.example/zh2'],
    ['図書館', 'https://b.example/ja'],
    ['図書館の休み', 'https://b.example/ja'],
    ['Haus Fluss', 'https://c.example/de'],
    ['verkaufte Häuser', 'https://c.example/de'],
    ['haeuser bürgermeister', 'https://c.example/de'],
    ['большой корабль', 'https://d.example/ru'],
    ['ＬＩＢＲＡＲＹ ｂｏｏｋｓ', 'https://e.example/libraries'],
  ]
  for (const [query, url] of languages) {
    test(`${query} finds ${url} first`, () => equal(urlsOf(ask(query))[0], url))
  }

  const operators: [string, string[]][] = [
    ['library', ['', 'libraries', 'other']],
    ['library -maps', ['', 'libraries']],
    ['library -"old maps"', ['', 'libraries']],
    ['"lend books" library', ['libraries']],
    ['library site:e.example', ['libraries', 'other']],
    ['library -site:e.example', ['']],
    ['library site:example filetype:pdf', ['libraries']],
    ['intitle:libraries', ['libraries', 'other']],
    ['site:d.example', ['ru']],
    ['lang:ru', ['ru']],
    ['site:a.example lang:zh', ['zh', 'zh2']],
    ['library lang:de', []],
    ['""', []],
  ]
  for (const [query, found] of operators) {
    test(`${query} finds ${found.length} pages`, () => deepEqual(paths(ask(query)), found))
  }

  test('include and exclude name hosts and all below them', () => {
    deepEqual(paths(ask('library', { include: ['e.example'] })), ['libraries', 'other'])
    deepEqual(paths(ask('library', { exclude: ['sub.e.example', 'note.example'] })), ['libraries'])
    deepEqual(paths(ask('library site:sub.e.example', { include: ['e.example'] })), ['other'])
    deepEqual(paths(ask('library site:d.example', { include: ['e.example'] })), [])
  })

  test('a day ends at midnight UTC+8, and an unsure date is that of the first sight', () => {
    const freshness = { from: MAY_10, to: MAY_10 + DAY - 1 }
    deepEqual(paths(ask('tide', { freshness })), ['end', 'first'])
    const later = { from: MAY_10 + 9 * DAY, to: MAY_10 + 10 * DAY }
    deepEqual(paths(ask('tide', { freshness: later })), ['unsure'])
    equal(ask('tide', { freshness: later }).pages.results[0]?.published, undefined)
  })
}

function testPaging(ask: Ask): void {
  test('no URL stands on two pages, and totals stay', () => {
    const whole = urlsOf(ask('river page', { count: 50 }))
    for (const offset of [50, 100]) whole.push(...urlsOf(ask('river page', { count: 50, offset })))
    equal(whole.length, 130)
    equal(new Set(whole).size, 130)
    const cut = fc.record({ count: fc.integer({ min: 1, max: 50 }), offset: fc.integer({ min: 0, max: 140 }) })
    fc.assert(
      fc.property(cut, ({ count, offset }) => {
        const answer = ask('river page', { count, offset })
        equal(answer.pages.total, 130)
        deepEqual(urlsOf(answer), whole.slice(offset, offset + count))
      }),
      { numRuns: 30 },
    )
    deepEqual(urlsOf(ask('river page', { offset: 1_000 })), [])
  })

  test('the third page of a host stands below others, unless a site is asked for', () => {
    const hosts = urlsOf(ask('blue river')).map((url) => new URL(url).host)
    for (const host of hosts) ok(hosts.filter((other) => other === host).length <= 2)
    equal(ask('blue river', { include: ['h1.example'] }).pages.results.length, 10)
  })
}

function testManners(ask: Ask): void {
  test('the home of what the query names stands first, with its main places', () => {
    for (const query of ['lamp shop', 'shop.example', 'LAMP-shop']) {
      const [first, ...others] = ask(query).pages.results
      equal(first?.url, SHOP, query)
      equal(first.navigational, true)
      deepEqual(
        first.deepLinks.map((link) => [link.name, link.url]),
        [
          ['prices', `${SHOP}prices`],
          ['opening', `${SHOP}opening`],
        ],
      )
      ok(others.every((other) => !other.navigational && other.deepLinks.length === 0))
    }
  })

  test('adult pages are taken out, and the answer says so only where it did', () => {
    const answer = ask('lamp')
    ok(!urlsOf(answer).includes('https://adult.example/'))
    equal(answer.pages.someRemoved, true)
    equal(ask('library').pages.someRemoved, false)
  })

  test('pages that hold some words come after those that hold all', () => {
    const answer = ask('library maps harbour')
    equal(urlsOf(answer)[0], 'https://sub.e.example/other')
    ok(answer.pages.results.length > 1)
    equal(ask('absentword').pages.total, 0)
  })

  test('a result tells its title, a snippet around the words, its summary and why it stands there', () => {
    const [result] = ask('mayor Bürgermeister', { withoutSummary: false }).pages.results
    equal(result?.title, 'Die Häuser am Fluss wurden im Winter verkauft')
    match(result.snippet, /Bürgermeister/)
    equal(result.summary, 'Die Häuser am Fluss wurden im Winter verkauft. Der Bürgermeister freute sich.')
    equal(result.language, 'de')
    ok((result.why['score'] ?? 0) > 0 && result.why['text'] !== undefined)
  })
}

for (const { name } of ENGINES) {
  test(`the list of ${name} goes on where the first pages ended, also when the index has changed meanwhile`, () => {
    const pages = Array.from({ length: 700 }, (_, i) => {
      const simhash: [number, number] = [Math.imul(i + 1, 0x9e3779b1) >>> 0, Math.imul(i + 1, 0x85ebca77) >>> 0]
      return makePage(`https://h${i % 97}.example/${i}`, `A river, number ${i}. ${'bank '.repeat(i % 7)}`, { simhash })
    })
    const { searcher, close } = openFolder(pages, name === 'tantivy' ? 'tantivy' : 'sqlite')
    const whole: string[] = []
    for (let offset = 0; offset < 700; offset += 50) {
      const answer = askPages(searcher, 'river number', { count: 50, offset })
      equal(answer.pages.total, 700)
      whole.push(...urlsOf(answer))
    }
    equal(whole.length, 700)
    equal(new Set(whole).size, 700)
    const request = requestOf('river number', { count: 50 })
    const first = searcher.search(request, undefined, Infinity, 0)
    const later = searcher.search({ ...request, offset: 650 }, first.list, Infinity, 0)
    equal(first.list.deep, false)
    deepEqual([...later.list.pages.ids].slice(0, 300), [...first.list.pages.ids])
    equal(new Set(later.list.pages.ids).size, 700)
    deepEqual(urlsOf(later.answer), whole.slice(650))
    close()
  })
}

test('when the time is over, the pages found by then are the answer, and it says so', () => {
  const images = [{ url: 'https://a.example/i.png', name: 'A river', context: '', prominence: 1 }]
  const { searcher, close } = openFolder([makePage('https://a.example/', 'A river.', { images })], 'sqlite')
  const request = requestOf('river', { wants: { pages: true, images: true, videos: true } })
  const late = searcher.search(request, undefined, -1, 0).answer
  deepEqual([late.partial, urlsOf(late), late.images.results], [true, ['https://a.example/'], []])
  const whole = searcher.search(request, undefined, Infinity, 0).answer
  deepEqual([whole.partial, whole.images.results.length], [false, 1])
  close()
})

test('equals stand in the order of their URLs, whatever order they were kept in', () => {
  const pages = ['c', 'a', 'd', 'b'].map((name) =>
    makePage(`https://${name}.example/`, 'The same words.', { title: 'Same' }),
  )
  for (const order of [pages, pages.toReversed()]) {
    const { searcher, close } = openFolder(order, 'sqlite')
    const found = urlsOf(askPages(searcher, 'words'))
    close()
    deepEqual(
      found,
      ['a', 'b', 'c', 'd'].map((name) => `https://${name}.example/`),
    )
  }
})

test('whatever is typed is answered', () => {
  const { searcher, close } = openFolder(PAGES.slice(0, 8), ENGINES.at(-1)?.name === 'tantivy' ? 'tantivy' : 'sqlite')
  const answers = (query: string): boolean => isAnswer(searcher, query)
  const part = fc.constantFrom(
    '"',
    '-',
    'site:',
    'lang:de ',
    'intitle:',
    ' ',
    'library',
    '図書',
    '*',
    'AND',
    'OR',
    '(',
    ')',
    '^',
    '\u0000',
    ':',
  )
  const typed = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(part).map((parts) => parts.join('')),
  )
  fc.assert(fc.property(typed, answers), { numRuns: 300 })
  ok(answers(`${'word '.repeat(399)}`))
  close()
})

function isAnswer(searcher: Searcher, query: string): boolean {
  const { pages } = askPages(searcher, query, { wants: { pages: true, images: true, videos: true } })
  return pages.total >= pages.results.length
}
