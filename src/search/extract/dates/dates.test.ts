import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { extracted, linkedData, prose } from '../../../../test/support/extracted.ts'
import { DATE_CONFIDENCE_MIN } from '../../document.ts'
import { parseDate } from './parse-date.ts'

const rules = { monthFirst: true, latest: Date.UTC(2026, 6, 1) }

describe('a written date is read in many languages', () => {
  const cases: Record<string, string | undefined> = {
    '2025-09-04': '2025-09-04',
    '2025-09-04T22:30:00+02:00': '2025-09-04',
    'September 4, 2025': '2025-09-04',
    'Posted on 4th of September 2025 by Ann': '2025-09-04',
    'Sept. 4, 2025': '2025-09-04',
    '4. September 2025': '2025-09-04',
    '4 de septiembre de 2025': '2025-09-04',
    '4 septembre 2025': '2025-09-04',
    '4 сентября 2025 г.': '2025-09-04',
    '4 września 2025': '2025-09-04',
    '2025年9月4日': '2025-09-04',
    '2025년 9월 4일': '2025-09-04',
    '04.09.2025': '2025-09-04',
    '09/04/2025': '2025-09-04',
    '20250904': '2025-09-04',
    'February 30, 2025': undefined,
    '2031-01-01': undefined,
    '1970-01-01': undefined,
    'version 10.2.3': undefined,
    'call 555-12-3456': undefined,
  }
  for (const [text, day] of Object.entries(cases))
    test(`${text} → ${day}`, () => equal(parseDate(text, rules)?.day, day))
})

test('a day is midnight UTC+8 of that day; a time keeps its instant', () => {
  deepEqual(parseDate('2025-09-04', rules), {
    at: Date.parse('2025-09-04T00:00:00+08:00'),
    dayOnly: true,
    day: '2025-09-04',
  })
  equal(parseDate('2025-09-04T23:30:00-05:00', rules)?.at, Date.parse('2025-09-05T04:30:00Z'))
})

test('where neither number is above 12 the country tells which is the month', () => {
  equal(parseDate('03/04/2025', { ...rules, monthFirst: false })?.day, '2025-04-03')
  equal(parseDate('25/04/2025', rules)?.day, '2025-04-25')
})

const dayOf = (head: string, body: string, url?: string): string | undefined => {
  const { published } = extracted(head, body, { lang: 'en', ...(url === undefined ? {} : { url }) })
  if (published === undefined || published.confidence < DATE_CONFIDENCE_MIN) return undefined
  return new Date(published.at + (published.dayOnly ? 8 * 3_600_000 : 0)).toISOString().slice(0, 10)
}
const article = (before: string): string => `<article><h1>A story of boats</h1>${before}${prose(4)}</article>`

describe('the day of publication is found wherever a page tells it', () => {
  const json = linkedData({
    '@type': 'NewsArticle',
    headline: 'x',
    datePublished: '2025-02-03T10:00:00Z',
    dateModified: '2026-01-01',
  })
  const cases: Record<string, [head: string, body: string, url?: string]> = {
    'JSON-LD': [json, article('')],
    'JSON-LD in a graph': [
      linkedData({ '@graph': [{ '@type': 'WebPage', datePublished: '2025-02-03' }] }),
      article(''),
    ],
    'JSON-LD in CDATA': [
      `<script type="application/ld+json">//<![CDATA[\n{"@type":"Article","datePublished":"2025-02-03"}\n//]]></script>`,
      article(''),
    ],
    meta: ['<meta property="article:published_time" content="2025-02-03T10:00:00Z">', article('')],
    'Dublin Core': ['<meta name="DC.date.issued" content="2025-02-03">', article('')],
    microdata: [
      '',
      `<div itemscope itemtype="https://schema.org/Article"><meta itemprop="datePublished" content="2025-02-03">${article('')}</div>`,
    ],
    'a time element': ['', article('<time datetime="2025-02-03">yesterday</time>')],
    'the state of scripts': [
      '<script>window.state = {"post":{"publishedAt":"2025-02-03T09:00:00Z"}}</script>',
      article(''),
    ],
    'a class': ['', article('<span class="post-date">February 3, 2025</span>')],
    'a line by the heading': ['', article('<p>February 3, 2025</p>')],
    'a labelled line': ['', article('<div><b>Published:</b> <i>3 Feb 2025</i></div>')],
    'the address': ['', article(''), 'https://example.org/2025/02/03/a-story-of-boats'],
    'an update, if nothing else is told': ['', article('<p>Last updated: February 3, 2025</p>')],
  }
  for (const [name, [head, body, url]] of Object.entries(cases))
    test(name, () => equal(dayOf(head, body, url), '2025-02-03'))
})

test('publication is told apart from change', () => {
  const head =
    '<meta property="article:published_time" content="2025-02-03T10:00:00Z"><meta property="article:modified_time" content="2026-02-01T10:00:00Z">'
  equal(dayOf(head, article('<p>Updated February 1, 2026</p>')), '2025-02-03')
  equal(dayOf(head, article('<p>February 1, 2026</p>')), '2025-02-03')
  equal(dayOf('', article('<p>Published February 3, 2025</p><p>Updated February 1, 2026</p>')), '2025-02-03')
})

test('dates of comments, footers, events and the future are not the page’s', () => {
  equal(dayOf('', `${article('')}<footer>© February 3, 2025</footer>`), undefined)
  equal(dayOf('', `${article('')}<div class="comments"><time datetime="2025-02-03">x</time></div>`), undefined)
  equal(dayOf('<meta property="article:published_time" content="2030-02-03">', article('')), undefined)
})

test('two kinds of sources that agree are surer than one', () => {
  const head = '<meta property="article:published_time" content="2025-02-03T10:00:00Z">'
  const alone = extracted(head, article('')).published?.confidence ?? 0
  const both = extracted(head, article('<p>February 3, 2025</p>')).published?.confidence ?? 0
  ok(both > alone)
})
