import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseFeed } from './feeds.ts'

const AT = Date.UTC(2026, 10, 20, 8)

describe('feeds of every kind name their entries', () => {
  const cases: Record<string, [text: string, entries: ReturnType<typeof parseFeed>]> = {
    'RSS 2.0': [
      `<rss version="2.0"><channel><title>Site</title><link>https://a.example/</link>
        <item><title>One</title><link>https://a.example/1</link><pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate></item>
        <item><title>Two</title><guid isPermaLink="true">https://a.example/2</guid></item>
        <item><title>Three</title><guid>tag:3</guid></item></channel></rss>`,
      [
        { url: 'https://a.example/1', title: 'One', publishedAt: AT },
        { url: 'https://a.example/2', title: 'Two' },
      ],
    ],
    'RSS 1.0': [
      `<rdf:RDF><item rdf:about="x"><title>One</title><link>/1</link><dc:date>2026-11-20T08:00:00Z</dc:date></item></rdf:RDF>`,
      [{ url: '/1', title: 'One', publishedAt: AT }],
    ],
    Atom: [
      `<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/feed"/>
        <entry><title type="html">One &amp; only</title><link rel="edit" href="/edit/1"/><link href="/1"/>
        <published>2026-11-20T08:00:00Z</published><updated>2026-11-21T08:00:00Z</updated></entry></feed>`,
      [{ url: '/1', title: 'One & only', publishedAt: AT }],
    ],
    'JSON feed 1.1': [
      JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        items: [{ url: 'https://a.example/1', title: 'One', date_published: '2026-11-20T08:00:00Z' }, { id: 2 }, 7],
      }),
      [{ url: 'https://a.example/1', title: 'One', publishedAt: AT }],
    ],
    'other JSON': ['{"items":[{"url":"https://a.example/"}]}', []],
    'broken JSON': ['{"version":', []],
    HTML: ['<!doctype html><title>x</title><p>no feed', []],
  }
  for (const [name, [text, entries]] of Object.entries(cases)) {
    test(name, () => deepEqual(parseFeed(text), entries))
  }

  test('no text makes it throw', () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => Array.isArray(parseFeed(`<item>${text}</item>`))))
  })
})
