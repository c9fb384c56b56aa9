import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { findHeadLinks } from './head-links.ts'

test('a head names feeds, other languages, the next part, and what they are relative to', () => {
  const head = `<base href="/docs/">
    <link rel="alternate" type="application/rss+xml" href="/rss?a=1&amp;b=2">
    <link rel=alternate type=application/atom+xml href=/atom><link rel="alternate" hreflang="de" href="/de">
    <LINK REL='next' HREF='page2.html'><link rel="stylesheet" type="application/rss+xml" href="/css">
    <!-- <link rel="next" href="/commented"> --><link rel="alternate" hreflang="fr">`
  deepEqual(findHeadLinks(head), {
    base: '/docs/',
    feeds: ['/rss?a=1&b=2', '/atom'],
    pages: ['/de', 'page2.html'],
  })
})

describe('a page that sends its reader on', () => {
  const cases: Record<string, string | undefined> = {
    '<meta http-equiv="refresh" content="0; url=/next?a=1&amp;b=2">': '/next?a=1&b=2',
    "<META HTTP-EQUIV='Refresh' CONTENT='5;URL=\"/x\"'>": '/x',
    '<meta http-equiv="refresh" content="3600; url=/later">': undefined,
    '<meta http-equiv="refresh" content="30">': undefined,
    '<!-- <meta http-equiv="refresh" content="0; url=/x"> -->': undefined,
    '<meta name="description" content="0; url=/x">': undefined,
  }
  for (const [html, expected] of Object.entries(cases)) test(html, () => equal(findHeadLinks(html).refresh, expected))
})

test('no text makes it throw, or take long', () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => Array.isArray(findHeadLinks(`<link ${text}>`).feeds)))
  const startedAt = performance.now()
  for (const piece of ['<link ', '<meta a="', '<!--', '<link rel=" href=']) findHeadLinks(piece.repeat(20_000))
  equal(performance.now() - startedAt < 1000, true)
})
