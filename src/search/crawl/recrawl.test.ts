import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { crawling, keptPaths } from '../../../test/support/crawl-run.ts'
import { linkPage, moves, sends, type SitePath } from '../../../test/support/crawl-sites.ts'
import { readCapture } from '../../lib/warc/read-capture.ts'

/** A page with an ETag (or a date), which answers 304 to whoever has it already. */
function conditional(body: string, validator: { ETag: string } | { 'Last-Modified': string }): SitePath {
  return (request, response) => {
    const [[name, value] = ['', '']] = Object.entries(validator)
    const asked = request.headers[name === 'ETag' ? 'if-none-match' : 'if-modified-since']
    if (asked === value) response.writeHead(304, validator).end()
    else response.writeHead(200, { 'Content-Type': 'text/html', ...validator }).end(body)
  }
}

describe('a page that is visited again', () => {
  test('304: nothing is sent again, the content stays, links are followed, the stored copy can be read', async (t) => {
    const crawled = await crawling(t, {
      'a.example': {
        '/': conditional(linkPage('front', ['/dated']), { ETag: '"1"' }),
        '/dated': conditional(linkPage('dated', []), { 'Last-Modified': 'Fri, 20 Nov 2026 08:00:00 GMT' }),
      },
    })
    const first = await crawled.run()
    const before = crawled.kept.get('http://a.example/')
    crawled.clock.advance(3_600_000)
    await crawled.reopen()
    const second = await crawled.run()
    const after = crawled.kept.get('http://a.example/')
    equal(second.kept, 2)
    ok(second.bytes < first.bytes / 5, `${second.bytes} of ${first.bytes} bytes`)
    equal(after?.document.title, 'front')
    deepEqual(after?.place, before?.place)
    equal(after?.document.firstSeenAt, before?.document.firstSeenAt)
    ok((after?.document.fetchedAt ?? 0) > (before?.document.fetchedAt ?? 0))
    const copy = after === undefined ? undefined : await readCapture(`${crawled.folder}/warc`, after.place)
    ok(
      Buffer.from(copy?.body ?? [])
        .toString()
        .includes('<title>front</title>'),
    )
  })

  test('the same bytes without a validator are stored once', async (t) => {
    const html = linkPage('front', [], `<!-- ${'x'.repeat(100_000)} -->`)
    const crawled = await crawling(t, { 'a.example': { '/': html } })
    await crawled.run()
    const before = crawled.kept.get('http://a.example/')?.place
    await crawled.run()
    deepEqual(crawled.kept.get('http://a.example/')?.place, before)
  })

  test('new bytes are a new copy', async (t) => {
    const crawled = await crawling(t, {
      'a.example': {
        '/': (_request, response, visit) =>
          response.setHeader('Content-Type', 'text/html').end(linkPage(`visit ${visit}`, [])),
      },
    })
    await crawled.run()
    const before = crawled.kept.get('http://a.example/')
    await crawled.run()
    const after = crawled.kept.get('http://a.example/')
    equal(after?.document.title, 'visit 2')
    ok((after?.place.offset ?? 0) > (before?.place.offset ?? 0))
    equal(after?.document.firstSeenAt, before?.document.firstSeenAt)
  })

  test('404, 410 and a move for good take it out; a failure does not', async (t) => {
    const then =
      (later: SitePath): SitePath =>
      (request, response, visit) =>
        visit === 1 || typeof later === 'string'
          ? response.setHeader('Content-Type', 'text/html').end(linkPage(request.url ?? '', []))
          : later(request, response, visit)
    const crawled = await crawling(t, {
      'a.example': {
        '/': linkPage('front', ['/404', '/410', '/301', '/500']),
        '/404': then(sends('', {}, 404)),
        '/410': then(sends('', {}, 410)),
        '/301': then(moves('/new', 301)),
        '/500': then(sends('', {}, 500)),
        '/new': linkPage('new', []),
      },
    })
    await crawled.run()
    deepEqual(keptPaths(crawled), ['/', '/301', '/404', '/410', '/500'])
    await crawled.run()
    deepEqual(keptPaths(crawled), ['/', '/500', '/new'])
  })
})

describe('sitemaps and feeds', () => {
  const xml = (text: string): SitePath => sends(text, { 'Content-Type': 'text/xml' })

  test('are found by robots.txt and by pages, read through an index and gzip, and tell what pages do not', async (t) => {
    const inner = `<urlset xmlns:image="x"><url><loc>http://a.example/from-sitemap</loc>
      <image:image><image:loc>http://a.example/cat.jpg</image:loc><image:caption>A cat</image:caption></image:image>
      <video:video xmlns:video="x"><video:title>Film</video:title><video:content_loc>http://a.example/f.mp4</video:content_loc></video:video>
      </url><url><loc>http://elsewhere.example/</loc></url></urlset>`
    const crawled = await crawling(t, {
      'a.example': {
        '/robots.txt': 'Sitemap: http://a.example/index.xml\n',
        '/index.xml': xml('<sitemapindex><sitemap><loc>http://a.example/1.xml.gz</loc></sitemap></sitemapindex>'),
        '/1.xml.gz': sends(gzipSync(inner), { 'Content-Type': 'application/gzip' }),
        '/': linkPage('front', [], '<link rel="alternate" type="application/rss+xml" href="/rss">'),
        '/rss': xml(
          '<rss><item><link>http://a.example/from-feed</link><pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate></item></rss>',
        ),
        '/from-sitemap': linkPage('from sitemap', []),
        '/from-feed': linkPage('from feed', []),
      },
    })
    await crawled.run()
    deepEqual(keptPaths(crawled), ['/', '/from-feed', '/from-sitemap'])
    const listed = crawled.kept.get('http://a.example/from-sitemap')?.document
    deepEqual(listed?.images, [{ url: 'http://a.example/cat.jpg', name: '', context: 'A cat', prominence: 0.6 }])
    equal(listed?.videos[0]?.name, 'Film')
    equal(crawled.kept.get('http://a.example/from-feed')?.document.published?.at, Date.UTC(2026, 10, 20, 8))
    equal(crawled.sites.paths('a.example').includes('/sitemap.xml'), false)
  })

  test('are places to begin at', async (t) => {
    const crawled = await crawling(t, {
      'a.example': {
        '/map.xml': xml('<urlset><url><loc>http://a.example/1</loc></url></urlset>'),
        '/feed.json': sends(
          JSON.stringify({ version: 'https://jsonfeed.org/version/1', items: [{ url: 'http://a.example/2' }] }),
          { 'Content-Type': 'application/feed+json' },
        ),
        '/1': linkPage('one', []),
        '/2': linkPage('two', []),
      },
    })
    await crawled.run({ seeds: ['http://a.example/map.xml', 'http://a.example/feed.json'], depthMax: 1 })
    deepEqual(keptPaths(crawled), ['/1', '/2'])
  })

  test('a sitemap that names itself, and one that is rubbish, end nothing', async (t) => {
    const crawled = await crawling(t, {
      'a.example': {
        '/robots.txt': 'Sitemap: http://a.example/self.xml\nSitemap: /rubbish.xml\n',
        '/self.xml': xml('<sitemapindex><sitemap><loc>http://a.example/self.xml</loc></sitemap></sitemapindex>'),
        '/rubbish.xml': sends(gzipSync(Buffer.alloc(1000, 60)).subarray(0, 15), { 'Content-Type': 'text/xml' }),
        '/': linkPage('front', []),
      },
    })
    const end = await crawled.run()
    equal(end.why, 'empty')
    equal(end.kept, 1)
    equal(crawled.sites.paths('a.example').filter((path) => path === '/self.xml').length, 1)
  })
})
