import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CRAWLER_OPTIONS, crawling, type Crawled } from '../../../test/support/crawl-run.ts'
import { linkPage, type SitePaths } from '../../../test/support/crawl-sites.ts'

function siteOf(pages: number, robots: string): SitePaths {
  const paths = Array.from({ length: pages }, (_, i) => `/p${i}`)
  return {
    '/robots.txt': robots,
    '/': linkPage('front', paths),
    ...Object.fromEntries(paths.map((path) => [path, linkPage(path, ['/'])])),
  }
}

/** Milliseconds between the end of each request to a host and the start of the next, by the host's own log. */
function gapsOf({ sites }: Crawled, host: string): number[] {
  const log = sites.requests.filter((request) => request.host === host)
  return log.slice(1).map((request, i) => request.at - (log[i]?.endedAt ?? Number.NaN))
}

describe('the hosts’ own logs prove that they were asked politely', () => {
  test('one request at a time, never sooner than the delay and the site’s own; hosts are asked beside one another', async (t) => {
    const hosts = {
      'a.example': siteOf(12, ''),
      'b.example': siteOf(12, 'User-agent: *\nCrawl-delay: 5'),
      'c.example': siteOf(12, 'User-agent: *\nCrawl-delay: 3600'),
      'd.example': siteOf(12, 'User-agent: *\nCrawl-delay: soon'),
    }
    const crawled = await crawling(t, hosts)
    const startedAt = crawled.clock.now()
    const end = await crawled.run({ seeds: Object.keys(hosts).map((host) => `http://${host}/`) })
    equal(end.kept, 52)
    deepEqual(
      crawled.sites.requests.filter(({ beside }) => beside > 0),
      [],
    )
    for (const [host, delay] of Object.entries({
      'a.example': 1000,
      'b.example': 5000,
      'c.example': 30_000,
      'd.example': 1000,
    })) {
      const gaps = gapsOf(crawled, host)
      equal(gaps.length, 14)
      ok(Math.min(...gaps) >= delay, `${host}: ${Math.min(...gaps)} ms`)
    }
    // The slowest host alone takes 14 times 30 s; the others do not make it longer.
    const seconds = (crawled.clock.now() - startedAt) / 1000
    ok(seconds >= 420 && seconds < 500, `${seconds} s`)
  })

  test('the rest outlives the run and the process', async (t) => {
    const crawled = await crawling(t, { 'a.example': siteOf(3, '') })
    await crawled.run({ pagesMax: 2 })
    await crawled.reopen()
    await crawled.run({ pagesMax: 3 })
    ok(Math.min(...gapsOf(crawled, 'a.example')) >= 1000)
  })

  test('no more hosts at once than allowed', async (t) => {
    let open = 0
    let most = 0
    const slow: SitePaths = {
      '*': (_request, response) => {
        most = Math.max(most, ++open)
        setImmediate(() => setImmediate(() => response.writeHead(404).end(() => open--)))
      },
    }
    const hosts = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`h${i}.example`, slow]))
    const crawled = await crawling(t, hosts, { options: { ...CRAWLER_OPTIONS, concurrency: 3, delayMs: 0 } })
    await crawled.run({ seeds: Object.keys(hosts).map((host) => `http://${host}/`) })
    ok(most <= 3 && most > 1, `${most} at once`)
    equal(crawled.sites.requests.length, 24)
  })
})

describe('a host that says it is busy', () => {
  function busyOnce(headers: Record<string, string>, status = 429): SitePaths {
    return {
      '/': linkPage('front', ['/busy', '/other']),
      '/other': linkPage('other', []),
      '/busy': (_request, response, visit) =>
        visit === 1
          ? response.writeHead(status, headers).end()
          : response.writeHead(200, { 'Content-Type': 'text/html' }).end(linkPage('busy', [])),
    }
  }

  const cases: [name: string, headers: Record<string, string>, status: number, leastMs: number][] = [
    ['429 with Retry-After is left alone for so long', { 'Retry-After': '90' }, 429, 90_000],
    [
      '503 with a date, until then',
      { 'Retry-After': new Date(Date.UTC(2026, 10, 21, 12, 5)).toUTCString() },
      503,
      290_000,
    ],
    ['429 without, for a minute', {}, 429, 60_000],
  ]
  for (const [name, headers, status, leastMs] of cases) {
    test(name, async (t) => {
      const crawled = await crawling(t, { 'a.example': busyOnce(headers, status) })
      const end = await crawled.run()
      equal(end.kept, 3)
      ok(Math.max(...gapsOf(crawled, 'a.example')) >= leastMs)
    })
  }

  test('longer than ten minutes: this run and the next leave it, and say so', async (t) => {
    const crawled = await crawling(t, {
      'a.example': busyOnce({ 'Retry-After': '7200' }),
      'b.example': { '/': linkPage('b', []) },
    })
    const first = await crawled.run()
    deepEqual(first.givenUp, [{ host: 'a.example', reason: 'busy' }])
    const asked = crawled.sites.paths('a.example').length
    const second = await crawled.run({ seeds: ['http://a.example/', 'http://b.example/'] })
    deepEqual(second.givenUp, [{ host: 'a.example', reason: 'busy' }])
    equal(second.kept, 1)
    equal(crawled.sites.paths('a.example').length, asked)
    crawled.clock.advance(7_200_000)
    equal((await crawled.run()).kept, 3)
  })
})

test('twenty pages of one shape that all say the same: the others of that shape are not asked', async (t) => {
  const day = '<html><body><p>No events</p><a href="/">back</a></body></html>'
  const paths = Array.from({ length: 200 }, (_, i) => `/day/${i}`)
  const crawled = await crawling(t, {
    'a.example': {
      '/': linkPage('front', [...paths, '/about']),
      '/about': linkPage('about', []),
      ...Object.fromEntries(paths.map((path) => [path, day])),
    },
  })
  const end = await crawled.run()
  equal(end.why, 'empty')
  ok(crawled.kept.has('http://a.example/about'))
  // A page or two may be on its way while the twenty-first is read.
  ok(end.kept >= 23 && end.kept <= 26, `${end.kept} kept`)
  equal(end.kept + Number(end.states['trap']), 202)
})
