import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { crawling, keptPaths } from '../../../test/support/crawl-run.ts'
import { linkPage, moves, sends, type SitePath } from '../../../test/support/crawl-sites.ts'
import type { FetchedPage } from './crawl-types.ts'

const robots = (text: string): SitePath => sends(text, { 'Content-Type': 'text/plain' })

describe('where a crawl goes', () => {
  test('it follows links of the seed host and asks for each URL once', async (t) => {
    const crawled = await crawling(t, {
      'a.example': {
        '/': linkPage('front', ['/one', '/two?utm_source=x', 'http://b.example/', 'mailto:x@y.example', '/file.zip']),
        '/one': linkPage('one', ['/', '/two#part', 'one']),
        '/two': linkPage('two', []),
      },
      'b.example': { '/': linkPage('elsewhere', []) },
    })
    const end = await crawled.run()
    equal(end.why, 'empty')
    equal(end.kept, 3)
    deepEqual(keptPaths(crawled), ['/', '/one', '/two'])
    deepEqual(crawled.sites.paths('a.example').toSorted(), ['/', '/one', '/robots.txt', '/sitemap.xml', '/two'])
    deepEqual(crawled.sites.paths('b.example'), [])
  })

  test('as far as it was told: pages and depth', async (t) => {
    const chain = Object.fromEntries(
      Array.from({ length: 9 }, (_, i) => [i === 0 ? '/' : `/p${i}`, linkPage(`page ${i}`, [`/p${i + 1}`])]),
    )
    const crawled = await crawling(t, { 'a.example': chain })
    equal((await crawled.run({ depthMax: 2 })).kept, 3)
    const end = await crawled.run({ pagesMax: 5 })
    equal(`${end.why} ${end.kept}`, 'pages_max 5')
    equal((await crawled.run({ depthMax: 0 })).kept, 1)
  })

  test('scope "domain" takes the other hosts of a site in', async (t) => {
    const hosts = {
      'a.site.example': {
        '/': linkPage('front', ['http://b.site.example/', 'http://gone.site.example/', 'http://other.example/']),
      },
      'b.site.example': { '/': linkPage('second', []) },
      'other.example': { '/': linkPage('other', []) },
    }
    const crawled = await crawling(t, hosts)
    const end = await crawled.run({ scope: 'domain' })
    equal(end.kept, 2)
    deepEqual(end.givenUp, [{ host: 'gone.site.example', reason: 'name' }])
    deepEqual(crawled.sites.paths('other.example'), [])
  })

  test('a seed that has moved to another host takes the crawl with it; a page that leads away does not', async (t) => {
    const crawled = await crawling(t, {
      'a.example': { '/': moves('http://www2.example/start', 301) },
      'www2.example': {
        '/start': linkPage('start', ['/away', '/here']),
        '/away': moves('http://b.example/'),
        '/here': linkPage('here', []),
      },
      'b.example': { '/': linkPage('b', []) },
    })
    await crawled.run()
    deepEqual([...crawled.kept.keys()].toSorted(), ['http://www2.example/here', 'http://www2.example/start'])
    deepEqual(crawled.sites.paths('b.example'), [])
  })

  test('redirects: five hops are gone, six are not, loops end', async (t) => {
    const chain = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`/hop${i}`, moves(`/hop${i + 1}`)]))
    const crawled = await crawling(t, {
      'a.example': {
        '/': linkPage('front', ['/hop2', '/far0', '/loop', '/self', '/nowhere']),
        ...chain,
        '/hop7': linkPage('arrived', []),
        '/far0': moves('/far1'),
        ...Object.fromEntries([1, 2, 3, 4, 5].map((i) => [`/far${i}`, moves(`/far${i + 1}`)])),
        '/far6': linkPage('too far', []),
        '/loop': moves('/loop2'),
        '/loop2': moves('/loop'),
        '/self': moves('/self'),
        '/nowhere': moves('http://[broken'),
      },
    })
    const end = await crawled.run()
    equal(end.why, 'empty')
    deepEqual(keptPaths(crawled), ['/', '/hop7'])
  })

  test('a calendar without end, and a tree that repeats itself, end', async (t) => {
    const crawled = await crawling(t, {
      'a.example': {
        '/': linkPage('front', ['/calendar?date=2026-11-21', '/x/']),
        '*': (request, response) => {
          const url = new URL(request.url ?? '', 'http://a.example')
          const next = new Date(Date.parse(url.searchParams.get('date') ?? '2026-01-01') + 86_400_000)
          const links =
            url.pathname === '/calendar' ? [`?date=${next.toISOString().slice(0, 10)}`] : [`${url.pathname}x/`]
          if (!/^\/(?:calendar|(?:x\/)+)/.test(url.pathname)) response.writeHead(404).end()
          else
            response
              .writeHead(200, { 'Content-Type': 'text/html' })
              .end(linkPage('No events on this day', links).replace(/>[?/x][^<]*</, '>next<'))
        },
      },
    })
    const end = await crawled.run()
    equal(end.why, 'empty')
    ok(end.fetched < 60, `${end.fetched} requests`)
  })
})

describe('robots.txt is asked first and obeyed', () => {
  const page = linkPage('page', [])
  const front = linkPage('front', ['/open', '/closed/a', '/closed/open', '/x.php?a=1'])

  test('by group, longest rule and wildcard; nothing that is closed is asked', async (t) => {
    const crawled = await crawling(t, {
      'a.example': {
        '/robots.txt': robots(
          'User-agent: *\nDisallow: /\n\nUser-agent: Unmask\nDisallow: /closed/\nAllow: /closed/open\nDisallow: /*.php\n',
        ),
        '/': front,
        '*': page,
      },
    })
    const end = await crawled.run()
    deepEqual(keptPaths(crawled), ['/', '/closed/open', '/open'])
    equal(end.states['disallowed'], 2)
    equal(crawled.sites.paths('a.example')[0], '/robots.txt')
    deepEqual(
      crawled.sites.paths('a.example').filter((path) => /closed\/a|php/.test(path)),
      [],
    )
    equal(crawled.sites.requests[0]?.headers['user-agent'], 'Unmask/0.1 (+https://operator.example/bot)')
  })

  for (const [name, answer, isOpen] of [
    ['404', sends('', {}, 404), true],
    ['403', sends('', {}, 403), true],
    ['429', sends('', {}, 429), false],
    ['500', sends('', {}, 500), false],
    ['503', sends('', {}, 503), false],
    ['no answer', ((request) => request.socket.destroy()) as SitePath, false],
    ['an endless redirect', moves('/robots.txt'), true],
  ] as const) {
    test(`${name}: the site is ${isOpen ? 'open' : 'closed'}`, async (t) => {
      const crawled = await crawling(t, { 'a.example': { '/robots.txt': answer, '/': page } })
      const end = await crawled.run()
      equal(end.kept, isOpen ? 1 : 0)
      equal(crawled.sites.paths('a.example').includes('/'), isOpen)
      if (!isOpen) deepEqual(end.givenUp, [{ host: 'a.example', reason: 'robots_unreachable' }])
    })
  }

  test('a site whose robots.txt comes at the second try is crawled', async (t) => {
    const crawled = await crawling(t, {
      'a.example': {
        '/robots.txt': (_request, response, visit) => response.writeHead(visit === 1 ? 503 : 404).end(),
        '/': page,
      },
    })
    equal((await crawled.run()).kept, 1)
  })

  test('it is kept for a day, not longer', async (t) => {
    const crawled = await crawling(t, { 'a.example': { '/robots.txt': robots('User-agent: *\nAllow: /'), '/': page } })
    const asked = (): number => crawled.sites.paths('a.example').filter((path) => path === '/robots.txt').length
    await crawled.run()
    await crawled.reopen()
    crawled.clock.advance(80_000_000)
    await crawled.run()
    equal(asked(), 1)
    crawled.clock.advance(10_000_000)
    await crawled.run()
    equal(asked(), 2)
  })

  test('an old copy speaks for one that cannot be had', async (t) => {
    const crawled = await crawling(t, {
      'a.example': {
        '/robots.txt': (_request, response, visit) =>
          visit === 1 ? response.end('user-agent: *\ndisallow: /no') : response.writeHead(500).end(),
        '/': linkPage('front', ['/no', '/yes']),
        '/yes': page,
        '/no': page,
      },
    })
    await crawled.run()
    crawled.clock.advance(2 * 86_400_000)
    equal((await crawled.run()).kept, 2)
    equal(crawled.sites.paths('a.example').includes('/no'), false)
  })
})

describe('what pages ask of crawlers', () => {
  test('noindex is not kept, nofollow is not followed, by header and by meta', async (t) => {
    const crawled = await crawling(t, {
      'a.example': {
        '/': linkPage('front', ['/h-noindex', '/h-nofollow', '/m-none', '/h-other']),
        '/h-noindex': sends(linkPage('x', ['/from-noindex']), {
          'Content-Type': 'text/html',
          'X-Robots-Tag': 'noindex',
        }),
        '/h-nofollow': sends(linkPage('x', ['/from-nofollow']), {
          'Content-Type': 'text/html',
          'X-Robots-Tag': ['otherbot: all', 'unmask: nofollow'],
        }),
        '/m-none': linkPage('x', ['/from-none'], '<meta name="robots" content="noindex, nofollow">'),
        '/h-other': sends(linkPage('x', ['/from-other']), {
          'Content-Type': 'text/html',
          'X-Robots-Tag': 'otherbot: none',
        }),
        '/from-noindex': linkPage('x1', []),
        '/from-other': linkPage('x2', []),
      },
    })
    await crawled.run()
    deepEqual(keptPaths(crawled), ['/', '/from-noindex', '/from-other', '/h-nofollow', '/h-other'])
    deepEqual(crawled.removed.toSorted(), ['http://a.example/h-noindex', 'http://a.example/m-none'])
    const asked = crawled.sites.paths('a.example')
    equal(asked.includes('/from-nofollow') || asked.includes('/from-none'), false)
  })

  test('canonical, refresh and other languages are followed, a link that says nofollow is not', async (t) => {
    const crawled = await crawling(t, {
      'a.example': {
        '/': '<link rel="canonical" href="http://a.example/front"><meta http-equiv="refresh" content="0; url=/moved"><a rel="nofollow" href="/ad">x</a>',
        '/front': linkPage('front', [], '<base href="/sub/"><link rel="alternate" hreflang="de" href="de.html">'),
        '/sub/de.html': linkPage('deutsch', []),
        '/moved': linkPage('moved', []),
        '/ad': linkPage('ad', []),
      },
    })
    await crawled.run()
    deepEqual(keptPaths(crawled), ['/', '/front', '/moved', '/sub/de.html'])
  })
})

describe('what servers send', () => {
  test('every content encoding is undone; a bomb, a broken one and a slow one are left, and the crawl goes on', async (t) => {
    const html = (name: string): Buffer => Buffer.from(linkPage(name, []))
    const as = (encoding: string, body: Uint8Array): SitePath =>
      sends(body, { 'Content-Type': 'text/html', 'Content-Encoding': encoding })
    const crawled = await crawling(
      t,
      {
        'a.example': {
          '/': linkPage('front', [
            '/bomb',
            '/broken',
            '/slow',
            '/silent',
            '/gzip',
            '/br',
            '/zlib',
            '/raw',
            '/zstd',
            '/last',
          ]),
          '/bomb': as('gzip', gzipSync(Buffer.alloc(60_000_000))),
          '/broken': as('gzip', Buffer.concat([gzipSync('').subarray(0, 10), Buffer.alloc(200, 0xff)])),
          '/slow': (_request, response) => {
            response.writeHead(200, { 'Content-Type': 'text/html' })
            const timer = setInterval(() => response.write('.'), 20)
            response.once('close', () => clearInterval(timer))
          },
          '/silent': () => undefined,
          '/gzip': as('gzip', gzipSync(html('gzip'))),
          '/br': as('br', brotliCompressSync(html('br'))),
          '/zlib': as('deflate', deflateSync(html('zlib'))),
          '/raw': as('deflate', deflateRawSync(html('raw'))),
          '/zstd': as('zstd', zstdCompressSync(html('zstd'))),
          '/last': linkPage('last', []),
        },
      },
      { limits: { headersMs: 150, totalMs: 250 } },
    )
    const end = await crawled.run()
    deepEqual(keptPaths(crawled), ['/', '/br', '/gzip', '/last', '/raw', '/zlib', '/zstd'])
    equal(crawled.kept.get('http://a.example/zstd')?.document.title, 'zstd')
    equal(crawled.sites.paths('a.example').filter((path) => path === '/bomb').length, 1)
    equal(crawled.sites.paths('a.example').filter((path) => path === '/slow').length, 3)
    deepEqual(end.givenUp, [])
  })

  test('text in the encoding it declares, PDF as bytes, nothing else', async (t) => {
    const pages: FetchedPage[] = []
    const crawled = await crawling(
      t,
      {
        'a.example': {
          '/': linkPage('front', ['/gbk', '/pdf', '/picture', '/plain', '/json']),
          '/gbk': sends(Buffer.concat([Buffer.from('<meta charset=gbk><p>'), Buffer.from([0xd6, 0xd0, 0xce, 0xc4])])),
          '/pdf': sends('%PDF-1.7 …', { 'Content-Type': 'application/pdf' }),
          '/picture': sends('\x89PNG', { 'Content-Type': 'image/png' }),
          '/plain': sends('words', { 'Content-Type': 'text/plain' }),
          '/json': sends('{}', { 'Content-Type': 'application/json' }),
        },
      },
      {
        extract: async (page) => {
          pages.push(page)
          if (new URL(page.url).pathname === '/')
            return { kind: 'document', document: { ...EMPTY, url: page.url, links: LINKS } }
          return { kind: 'none', reason: 'only looked at' }
        },
      },
    )
    await crawled.run()
    const byPath = new Map(pages.map((page) => [new URL(page.url).pathname, page]))
    deepEqual([...byPath.keys()].toSorted(), ['/', '/gbk', '/pdf', '/plain'])
    equal(byPath.get('/gbk')?.text, '<meta charset=gbk><p>中文')
    equal(byPath.get('/pdf')?.text, undefined)
    equal(byPath.get('/plain')?.text, 'words')
  })

  test('a page that fails is tried three times, behind the others; it does not end its host', async (t) => {
    const crawled = await crawling(t, {
      'a.example': {
        '/': linkPage('front', ['/500', '/501', '/once', ...Array.from({ length: 8 }, (_, i) => `/ok${i}`)]),
        '/500': sends('', {}, 500),
        '/501': sends('', {}, 501),
        '/once': (_request, response, visit) =>
          visit === 1 ? response.destroy() : response.setHeader('Content-Type', 'text/html').end(linkPage('once', [])),
        ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`/ok${i}`, linkPage(`ok ${i}`, [])])),
      },
    })
    const end = await crawled.run()
    equal(end.kept, 10)
    const asked = crawled.sites.paths('a.example')
    ok(asked.filter((path) => path === '/500').length <= 3)
    ok(asked.indexOf('/ok7') < asked.lastIndexOf('/500'))
  })
})

const EMPTY = {
  url: '',
  host: 'a.example',
  fetchedAt: 0,
  firstSeenAt: 0,
  contentType: 'text/html',
  pageType: 'other' as const,
  title: '',
  text: '',
  description: '',
  headings: [],
  links: [],
  images: [],
  videos: [],
  adult: 0,
  noindex: false,
  nofollow: false,
  simhash: [0, 0] as [number, number],
}
const LINKS = ['/gbk', '/pdf', '/picture', '/plain', '/json'].map((path) => ({
  url: `http://a.example${path}`,
  anchor: '',
  nofollow: false,
  navigation: false,
}))
