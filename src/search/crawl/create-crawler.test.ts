import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CRAWLER_OPTIONS, crawling } from '../../../test/support/crawl-run.ts'
import { linkPage, moves, sends } from '../../../test/support/crawl-sites.ts'
import { CrawlFolderBusy, createCrawler } from './create-crawler.ts'

describe('whom a crawl may ask', () => {
  const PUBLIC = async (): Promise<{ address: string }[]> => [{ address: '93.184.215.14' }]
  const job = { pagesMax: 1, depthMax: 0, scope: 'host' } as const
  const never = new AbortController().signal
  const options = { ...CRAWLER_OPTIONS, allowPrivate: false }

  for (const [name, seed, more, sentence] of [
    [
      'a public site without a contact',
      'https://a.example/',
      { options: { ...options, contact: '' }, resolve: PUBLIC },
      /public site.*crawler\.contact/,
    ],
    [
      'a name that leads to a private address',
      'https://a.example/',
      { options, resolve: async () => [{ address: '10.0.0.1' }] },
      /crawler\.allowPrivate/,
    ],
    ['a literal private address', 'http://0x7f.1/', { options }, /127\.0\.0\.1.*crawler\.allowPrivate/],
    ['another port', 'https://a.example:8443/', { options, resolve: PUBLIC }, /crawler\.allowPrivate/],
    ['a name without address', 'https://a.example/', { options, resolve: async () => [] }, /has no address/],
    ['what is no address', 'ftp://a.example/', { options }, /is not a web address/],
  ] as const) {
    test(`not ${name}: a sentence tells what to do`, async (t) => {
      const crawled = await crawling(t, { 'a.example': { '*': 'x' } }, more)
      const end = await crawled.crawler.run({ ...job, seeds: [seed] }, never, () => undefined)
      equal(end.kind, 'refused')
      match(end.kind === 'refused' ? end.sentence : '', sentence)
      deepEqual(crawled.sites.requests, [])
    })
  }

  test('nothing private behind a redirect or a link of a site that may be asked', async (t) => {
    const crawled = await crawling(
      t,
      {
        'own.example': {
          '/': linkPage('front', ['/out', 'http://inner.own.example/', 'http://127.0.0.1/', 'http://[::ffff:7f00:1]/']),
          '/out': moves('http://inner.own.example/secret'),
          '/sitemap.xml': sends('<urlset><url><loc>http://inner.own.example/listed</loc></url></urlset>', {
            'Content-Type': 'text/xml',
          }),
        },
        'inner.own.example': { '*': linkPage('secret', []) },
      },
      { options, exempt: [{ origin: 'http://own.example' }] },
    )
    const end = await crawled.run({ scope: 'domain' })
    deepEqual([...crawled.kept.keys()], ['http://own.example/'])
    deepEqual(crawled.sites.paths('inner.own.example'), [])
    deepEqual(end.givenUp, [{ host: 'inner.own.example', reason: 'address' }])
    equal(crawled.kept.get('http://own.example/')?.place.private, false)
  })

  test('the server’s own site needs no contact and has no delay', async (t) => {
    const pages = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`/p${i}`, linkPage(`p ${i}`, [])]))
    const crawled = await crawling(
      t,
      { 'own.example': { '/': linkPage('front', Object.keys(pages)), ...pages } },
      { options: { ...options, contact: '' }, exempt: [{ origin: 'http://own.example' }] },
    )
    const startedAt = crawled.clock.now()
    equal((await crawled.run()).kept, 10)
    equal(crawled.clock.now() - startedAt < 1000, true)
  })
})

describe('one crawl a folder', () => {
  test('a second process is told so', async (t) => {
    const crawled = await crawling(t, { 'a.example': {} })
    const { folder, clock, sites } = crawled
    const deps = { folder, clock, resolve: sites.resolve, options: CRAWLER_OPTIONS }
    const inner = {
      ...deps,
      keep() {},
      remove() {},
      log: console,
      extract: async () => ({ kind: 'none', reason: '' }) as const,
    }
    let thrown: unknown
    await createCrawler(inner).catch((error: unknown) => (thrown = error))
    ok(thrown instanceof CrawlFolderBusy)
  })

  test('told to stop, it stops; the same job goes on from there', async (t) => {
    const pages = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`/p${i}`, linkPage(`p ${i}`, [])]))
    const crawled = await crawling(t, { 'a.example': { '/': linkPage('front', Object.keys(pages)), ...pages } })
    const controller = new AbortController()
    const seeds = ['http://a.example/']
    const job = { seeds, pagesMax: 100, depthMax: 5, scope: 'host' } as const
    const first = await crawled.crawler.run(job, controller.signal, ({ kept }) => kept === 10 && controller.abort())
    equal(first.kind === 'ended' && first.why, 'aborted')
    const second = await crawled.crawler.run(job, new AbortController().signal, () => undefined)
    ok(second.kind === 'ended' && second.resumed && second.kept === 31)
    const asked = crawled.sites.paths('a.example')
    ok(asked.length - new Set(asked).size <= 1, 'asked twice at most what was in flight')
  })

  test('a fault of keeping ends the run, and nothing is lost', async (t) => {
    let isBroken = true
    const crawled = await crawling(
      t,
      { 'a.example': { '/': linkPage('front', []) } },
      {
        keep: () => {
          if (isBroken) throw new Error('the disk is full')
        },
      },
    )
    let thrown: unknown
    await crawled.run().catch((error: unknown) => (thrown = error))
    match(String(thrown), /the disk is full/)
    isBroken = false
    equal((await crawled.run()).kept, 1)
  })
})
