import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { extracted, FETCHED_AT, linkedData, prose } from '../../../test/support/extracted.ts'
import type { PageDocument } from '../document.ts'
import { extract } from './extract.ts'
import { extractPage } from './extract-page.ts'

async function read(contentType: string, text: string): Promise<PageDocument> {
  const page = {
    url: 'https://example.org/notes/boats.txt',
    contentType,
    headers: [],
    fetchedAt: FETCHED_AT,
    firstSeenAt: 5,
    body: new Uint8Array(),
    text,
  }
  const found = await extract(page)
  if (found.kind === 'none') throw new Error(found.reason)
  return found.document
}

test('plain text: the first line is the title, empty lines part paragraphs', async () => {
  const found = await read(
    'text/plain; charset=utf-8',
    'Old boats\n=========\n\nThey lie in the\nharbour.\n\nAnd <b>wait</b>.',
  )
  equal(found.title, 'Old boats')
  equal(found.text, 'Old boats\nThey lie in the harbour.\nAnd <b>wait</b>.')
})

test('Markdown: its headings are told', async () => {
  const found = await read('text/markdown', 'intro\n\n# Old boats\ntext\n## In winter\nmore')
  deepEqual([found.title, found.headings], ['Old boats', ['Old boats', 'In winter']])
})

test('HTML that is sent as plain text is read as HTML', async () => {
  equal((await read('text/plain', '<!doctype html><title>Old boats</title><p>x')).title, 'Old boats')
})

describe('the kind of a page is told from address, linked data and marks', () => {
  const long = `<h1>x</h1>${prose(4)}`
  const cases: [type: string, head: string, body: string, url: string][] = [
    ['home', '', long, 'https://example.org/'],
    ['article', linkedData({ '@type': 'NewsArticle' }), long, 'https://example.org/x'],
    [
      'article',
      '<meta property="og:type" content="article">',
      `<div class="entry-content">${long}</div>`,
      'https://example.org/blog/a-long-story-of-boats',
    ],
    ['forum', linkedData({ '@type': 'DiscussionForumPosting' }), long, 'https://example.org/x'],
    ['product', linkedData({ '@type': 'Product' }), long, 'https://example.org/x'],
    ['documentation', '<meta name="generator" content="Docusaurus v3">', long, 'https://example.org/x'],
    ['listing', linkedData({ '@type': 'CollectionPage' }), long, 'https://example.org/x'],
    ['service', '', long, 'https://example.org/services/repair'],
    ['other', '', long, 'https://example.org/x'],
  ]
  for (const [type, head, body, url] of cases)
    test(`${type}: ${head} ${url}`, () => equal(extracted(head, body, { url }).pageType, type))
})

test('every field of a page that tells everything is filled', () => {
  const head = `<title>Old boats | Example</title><link rel="icon" href="/i.png"><link rel="canonical" href="/old-boats">
    <meta name="description" content="Of boats"><meta name="author" content="Ann Smith"><meta property="og:image" content="/b.jpg">
    <meta property="article:published_time" content="2025-02-03T10:00:00Z">`
  const found = extracted(head, `<h1>Old boats</h1>${prose(3)}<a href="/next">Next</a><video src="/b.mp4"></video>`, {
    lang: 'en',
  })
  const empty = Object.entries(found).filter(
    ([, value]) => value === '' || (Array.isArray(value) && value.length === 0),
  )
  deepEqual(empty, [])
  for (const name of ['canonicalUrl', 'siteName', 'iconUrl', 'author', 'language', 'published'] as const)
    ok(found[name] !== undefined, name)
})

const piece = fc.oneof(
  fc.constantFrom(
    '<div class="post">',
    '</div>',
    '<p>',
    '</p>',
    '<a href="',
    '">',
    '<script type="application/ld+json">',
    '</script>',
    '{"@type":"Article","datePublished":',
    '[[[[',
    '}',
    '<table><tr><td>',
    '<img src="a.jpg" srcset="b.jpg 2x, ',
    '<time datetime="2025-',
    '<meta property="og:image" content="',
    '<iframe src="https://youtu.be/',
    '<h1>',
    '<title>',
    '<base href="',
    '<html lang="',
    '&#x110000;',
    '\u0000',
    '\ud800',
    '<!--',
    '<![CDATA[',
    '</',
    '<p itemscope itemtype="https://schema.org/Product" itemprop="__proto__">',
    'text in a page 12/12/2024',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

test('any soup gives a document that is JSON-safe and the same each time', () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 80 }).map((parts) => parts.join('')),
      fc.oneof(fc.webUrl(), fc.string()),
      (html, url) => {
        const input = { url, html, contentType: 'text/html', headers: {}, fetchedAt: FETCHED_AT, firstSeenAt: 0 }
        const found = extractPage(input)
        deepEqual(JSON.parse(JSON.stringify(found)), found)
        deepEqual(extractPage(input), found)
      },
    ),
    { numRuns: 300 },
  )
})
