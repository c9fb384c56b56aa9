import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseSitemap, parseTime } from './sitemaps.ts'

describe('sitemaps.org: urlset, sitemapindex, text', () => {
  test('URLs with the time of their change', () => {
    const found = parseSitemap(`<?xml version="1.0"?>
      <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <url><loc> https://a.example/?x=1&amp;y=2 </loc><lastmod>2026-11-01</lastmod></url>
        <url><loc><![CDATA[https://a.example/b]]></loc><priority>0.5</priority></url>
        <url><lastmod>2026-11-01</lastmod></url>
      </urlset>`)
    deepEqual(found, {
      pages: [
        { url: 'https://a.example/?x=1&y=2', lastModifiedAt: Date.UTC(2026, 10, 1) },
        { url: 'https://a.example/b' },
      ],
      sitemaps: [],
    })
  })

  test('an index names sitemaps', () => {
    const text = '<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc></sitemap></sitemapindex>'
    deepEqual(parseSitemap(text), { pages: [], sitemaps: ['https://a.example/1.xml.gz'] })
  })

  test('a plain list', () => {
    const found = parseSitemap('https://a.example/1\r\nhttps://a.example/2\nnot one\n')
    deepEqual(found.pages, [{ url: 'https://a.example/1' }, { url: 'https://a.example/2' }])
  })

  test('with a namespace prefix of its own, and cut in the middle', () => {
    const text = '<s:urlset><s:url><s:loc>https://a.example/1</s:loc></s:url><s:url><s:loc>https://a.exa'
    deepEqual(parseSitemap(text).pages, [{ url: 'https://a.example/1' }])
  })
})

describe('Google’s extensions tell of a page what it may not say itself', () => {
  test('images', () => {
    const [page] = parseSitemap(`<urlset><url><loc>https://a.example/</loc>
      <image:image><image:loc>https://a.example/1.jpg</image:loc><image:caption>A cat</image:caption>
        <image:title>Cat</image:title></image:image></url></urlset>`).pages
    equal(page?.url, 'https://a.example/')
    deepEqual(page?.hints?.images, [{ url: 'https://a.example/1.jpg', name: 'Cat', context: 'A cat' }])
  })

  test('videos', () => {
    const [page] = parseSitemap(`<urlset><url><loc>https://a.example/v</loc><video:video>
      <video:thumbnail_loc>https://a.example/v.jpg</video:thumbnail_loc><video:title>Grilling</video:title>
      <video:description>How to</video:description><video:content_loc>https://a.example/v.mp4</video:content_loc>
      <video:duration>600</video:duration><video:view_count>12345</video:view_count>
      <video:publication_date>2026-11-05T19:20:30+08:00</video:publication_date>
      <video:uploader info="https://a.example/u">Ada</video:uploader></video:video></url></urlset>`).pages
    deepEqual(page?.hints?.videos, [
      {
        url: 'https://a.example/v.mp4',
        name: 'Grilling',
        description: 'How to',
        thumbnailUrl: 'https://a.example/v.jpg',
        durationS: 600,
        viewCount: 12_345,
        creator: 'Ada',
        published: { at: Date.UTC(2026, 10, 5, 11, 20, 30), dayOnly: false, confidence: 0.9 },
      },
    ])
  })

  test('news', () => {
    const [page] = parseSitemap(`<urlset><url><loc>https://a.example/n</loc><news:news>
      <news:publication_date>2026-11-20T08:00:00Z</news:publication_date></news:news></url></urlset>`).pages
    equal(page?.hints?.publishedAt, Date.UTC(2026, 10, 20, 8))
  })
})

describe('hostile XML', () => {
  test('entities that a document defines are not expanded', () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
      <urlset><url><loc>https://a.example/&b;</loc></url></urlset>`
    const [page] = parseSitemap(bomb).pages
    equal(page?.url.includes('aaaa'), false)
  })

  test('a hundred thousand open elements', () => {
    deepEqual(parseSitemap(`<urlset>${'<url>'.repeat(100_000)}`).pages, [])
  })

  test('more than 50,000 URLs: the protocol’s limit are read', () => {
    const text = `<urlset>${'<url><loc>https://a.example/x</loc></url>'.repeat(50_010)}</urlset>`
    equal(parseSitemap(text).pages.length, 50_000)
  })

  test('no text makes it throw', () => {
    const piece = fc.constantFrom(
      '<urlset>',
      '<url>',
      '<loc>',
      'https://a.example/',
      '</loc>',
      '</url>',
      '&',
      '<![CDATA[',
      '<!--',
      '"',
      '\u0000',
      '<image:image x=',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 30 }), (pieces) => {
        equal(Array.isArray(parseSitemap(pieces.join('')).pages), true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('W3C times', () => {
  const cases: Record<string, number | undefined> = {
    '2026-11-01': Date.UTC(2026, 10, 1),
    '2026-11': Date.UTC(2026, 10, 1),
    '2026-11-01T10:00:00+02:00': Date.UTC(2026, 10, 1, 8),
    '2026-13-01': undefined,
    yesterday: undefined,
  }
  for (const [text, expected] of Object.entries(cases)) test(text, () => equal(parseTime(text), expected))
})
