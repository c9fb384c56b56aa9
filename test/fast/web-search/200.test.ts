import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SEARCH_KEY, startServer } from '../../support/api-server.ts'
import { imageResult, pageResult, videoResult } from '../../support/memory-search.ts'
import { searchWeb, type SearchBody } from '../../support/web-search.ts'

const server = await startServer()
const base = server.listening.baseUrl
const ask = async (fields: object = {}): Promise<SearchBody> => (await searchWeb(server, fields)).json<SearchBody>()
const asked = () => server.search.asked.at(-1)

describe('every field of the answer, in its exact form', () => {
  test('a page', async () => {
    server.search.pages = [
      pageResult({ deepLinks: [{ name: 'Start', url: 'https://docs.example.org/s', snippet: 'x' }] }),
    ]
    const reply = await searchWeb(server, { query: 'wind' })
    equal(reply.status, 200)
    equal(reply.headers['content-type'], 'application/json; charset=utf-8')
    const body = reply.json<SearchBody>()
    deepEqual(Object.keys(body), ['_type', 'queryContext', 'webPages'])
    equal(body._type, 'SearchResponse')
    deepEqual(body.queryContext, { originalQuery: 'wind' })
    deepEqual(Object.keys(body.webPages), ['webSearchUrl', 'totalEstimatedMatches', 'value', 'someResultsRemoved'])
    equal(body.webPages.webSearchUrl, `${base}/search?q=wind`)
    const [page = {}] = body.webPages.value
    match(String(page['siteIcon']), /^https:\/\/127\.0\.0\.1:\d+\/icon\/[\w-]{22}\?url=https%3A/)
    deepEqual(
      { ...page, siteIcon: null },
      {
        id: `${base}/api/v1/#WebPages.0`,
        name: 'The sea and the wind',
        url: 'https://docs.example.org/caf%C3%A9/one',
        displayUrl: 'https://docs.example.org/café/one',
        snippet: 'Waves of the sea, and the wind that makes them.',
        summary: 'A longer extract about waves, the sea and the wind.',
        siteName: 'Example Docs',
        siteIcon: null,
        datePublished: '2025-10-09T16:53:20+08:00',
        dateLastCrawled: '2025-10-09T17:53:20+08:00',
        cachedPageUrl: `${base}/copy/1`,
        language: 'en',
        isFamilyFriendly: true,
        isNavigational: false,
        deepLinks: [{ name: 'Start', url: 'https://docs.example.org/s', snippet: 'x' }],
      },
    )
  })
  test('what is not known is null, or left out where it would be a number', async () => {
    const { siteName, iconUrl, published, language, summary, ...known } = pageResult()
    ok(siteName && iconUrl && published && language && summary)
    server.search.pages = [known]
    const [page = {}] = (await ask()).webPages.value
    deepEqual(
      [page['siteName'], page['siteIcon'], page['datePublished'], page['language'], 'summary' in page],
      [null, null, null, null, false],
    )
    const { width, height, ...image } = imageResult()
    ok(width && height)
    server.search.images = [image]
    const [shown = {}] = (await ask({ query: 'wave' })).images.value
    deepEqual([shown['thumbnail'], 'width' in shown, 'height' in shown], [null, false, false])
    server.search.images = [imageResult()]
    server.search.pages = [pageResult()]
  })
  test('an image', async () => {
    const { images } = await ask({ query: 'wave' })
    deepEqual(
      { ...images, value: [] },
      {
        id: `${base}/api/v1/#Images`,
        readLink: `${base}/api/v1/images?query=wave`,
        webSearchUrl: `${base}/search?q=wave&type=images`,
        isFamilyFriendly: true,
        value: [],
      },
    )
    const [image = {}] = images.value
    match(String(image['webSearchUrl']), /\/search\?q=wave&type=images#r[\w-]{12}$/)
    match(String(image['thumbnailUrl']), /\/thumb\/[\w-]{22}\?url=https%3A%2F%2Fdocs\.example\.org%2Fwave\.jpg$/)
    deepEqual(
      { ...image, webSearchUrl: '', thumbnailUrl: '' },
      {
        webSearchUrl: '',
        name: 'A wave',
        thumbnailUrl: '',
        // The source named a day only.
        datePublished: '2025-10-09T00:00:00+08:00',
        contentUrl: 'https://docs.example.org/wave.jpg',
        hostPageUrl: 'https://docs.example.org/caf%C3%A9/one',
        contentSize: '360493 B',
        encodingFormat: 'jpeg',
        hostPageDisplayUrl: 'https://docs.example.org/café/one',
        width: 1600,
        height: 900,
        thumbnail: { width: 480, height: 270 },
      },
    )
  })
  test('a video', async () => {
    const { videos } = await ask({ query: 'motion' })
    deepEqual([videos.id, videos.scenario], [`${base}/api/v1/#Videos`, 'SingleDominantVideo'])
    const [video = {}] = videos.value
    match(String(video['thumbnailUrl']), /\/thumb\/[\w-]{22}\?url=/)
    match(
      String(video['embedHtml']),
      /^<iframe width="1280" height="720" src="https:\/\/www\.youtube(-nocookie)?\.com\/embed\/abcdefghijk"/,
    )
    deepEqual(
      { ...video, webSearchUrl: '', thumbnailUrl: '', embedHtml: '' },
      {
        webSearchUrl: '',
        name: 'The sea in motion',
        description: 'Six minutes of waves.',
        thumbnailUrl: '',
        publisher: [{ name: 'Example Docs' }],
        creator: { name: 'A. Sailor' },
        contentUrl: 'https://www.youtube.com/watch?v=abcdefghijk',
        hostPageUrl: 'https://docs.example.org/film',
        encodingFormat: 'mp4',
        hostPageDisplayUrl: 'https://docs.example.org/film',
        width: 1280,
        height: 720,
        duration: 'PT6M6S',
        motionThumbnailUrl: 'https://docs.example.org/film.webp',
        embedHtml: '',
        allowHttpsEmbed: true,
        viewCount: 12,
        thumbnail: { width: 480, height: 270 },
        allowMobileEmbed: true,
        isSuperfresh: false,
        datePublished: '2025-10-09T16:53:20+08:00',
      },
    )
  })
  test('published within 24 hours is super fresh; several videos are a list; no known player, no embed', async () => {
    const { player, ...plain } = videoResult({ published: { at: Date.now() - 3_600_000, dayOnly: false } })
    ok(player)
    server.search.videos = [plain, videoResult()]
    const { videos } = await ask({ query: 'motion' })
    equal(videos.scenario, 'List')
    deepEqual(
      videos.value.map((video) => [video['isSuperfresh'], video['embedHtml'] === null, video['allowHttpsEmbed']]),
      [
        [true, true, false],
        [false, false, true],
      ],
    )
    server.search.videos = [videoResult()]
  })
  test('nothing found: an empty list, total 0, no images and videos', async () => {
    const body = await ask({ query: 'nothing-of-this' })
    deepEqual(
      [body.webPages.value, body.webPages.totalEstimatedMatches, 'images' in body, 'videos' in body],
      [[], 0, false, false],
    )
  })
  test('someResultsRemoved tells what the safety filter did', async () => {
    server.search.someRemoved = true
    equal((await ask()).webPages.someResultsRemoved, true)
    server.search.someRemoved = false
  })
})

describe('what is asked for', () => {
  test('defaults: 10 from the first, no limit, everything', async () => {
    await ask()
    const { deadlineAt, ...request } = asked() ?? { deadlineAt: 0 }
    ok(deadlineAt > Date.now())
    deepEqual(request, {
      query: 'sea',
      count: 10,
      offset: 0,
      include: [],
      exclude: [],
      wants: { pages: true, images: true, videos: true },
      withoutSummary: false,
    })
  })
  test('null is absent, unknown fields are ignored', async () => {
    const nothing = { count: null, offset: null, page: null, freshness: null, include: null, summary: null, other: [1] }
    equal((await searchWeb(server, nothing)).status, 200)
    deepEqual([asked()?.count, asked()?.offset, asked()?.freshness], [10, 0, undefined])
  })
  test('offset counts results, page counts pages from 1', async () => {
    await ask({ count: 20, offset: 5 })
    deepEqual([asked()?.count, asked()?.offset], [20, 5])
    await ask({ count: 20, page: 3 })
    equal(asked()?.offset, 40)
  })
  test('include and exclude: string or array, with | or , between; IDNs; each once', async () => {
    await ask({ include: 'Example.org|müller.de', exclude: ['a.example', 'b.example', 'a.example'] })
    deepEqual(
      [asked()?.include, asked()?.exclude],
      [
        ['example.org', 'xn--mller-kva.de'],
        ['a.example', 'b.example'],
      ],
    )
    await ask({ include: 'a.example,b.example' })
    deepEqual(asked()?.include, ['a.example', 'b.example'])
  })
  test('responseFilter chooses, a minus leaves out', async () => {
    const wants = async (responseFilter: string): Promise<string> => {
      await ask({ responseFilter })
      const { pages, images, videos } = asked()?.wants ?? {}
      return `${Number(pages)}${Number(images)}${Number(videos)}`
    }
    deepEqual(await Promise.all(['webPages'].map(wants)), ['100'])
    equal(await wants('images,videos'), '011')
    equal(await wants('-videos'), '110')
    ok(!('webPages' in (await ask({ responseFilter: 'images' }))))
  })
  test('summary false leaves the extract out', async () => {
    await ask({ summary: false })
    equal(asked()?.withoutSummary, true)
  })
  test('freshness: spans end now, days are those of UTC+8, both ends inclusive', async () => {
    const span = async (freshness: string): Promise<[number, number]> => {
      await ask({ freshness })
      const { from = 0, to = 0 } = asked()?.freshness ?? {}
      return [from, to]
    }
    for (const [name, days] of Object.entries({ oneDay: 1, oneWeek: 7, oneMonth: 30, oneYear: 365 })) {
      const [from, to] = await span(name)
      equal(to - from, days * 86_400_000)
      ok(Math.abs(to - Date.now()) < 60_000)
    }
    deepEqual(await span('2025-02-23'), [Date.UTC(2025, 1, 22, 16), Date.UTC(2025, 1, 23, 16) - 1])
    deepEqual(await span('2024-02-29..2024-03-01'), [Date.UTC(2024, 1, 28, 16), Date.UTC(2024, 2, 1, 16) - 1])
    await ask({ freshness: 'noLimit' })
    equal(asked()?.freshness, undefined)
  })
  test('2,000 characters are allowed, as people count them', async () => {
    equal((await searchWeb(server, { query: '😀'.repeat(2000) })).status, 200)
  })
})

describe('the other ways to ask', () => {
  test('GET with the parameters in its address, with a key', async () => {
    const reply = await server.send('/api/web-search?query=the%20sea&count=5&offset=2', { key: SEARCH_KEY })
    equal(reply.status, 200)
    deepEqual([asked()?.query, asked()?.count, asked()?.offset], ['the sea', 5, 2])
  })
  test('readLinks give the same as JSON', async () => {
    const body = await ask({ query: 'wave' })
    const images = await server.send(body.images.readLink, { key: null })
    deepEqual(images.json(), body.images)
    const videos = (await ask({ query: 'motion' })).videos
    deepEqual((await server.send(videos.readLink, { key: null })).json(), videos)
  })
  test('the compatibility route has the envelope', async () => {
    const reply = await server.send('/v1/web-search', { key: SEARCH_KEY, body: JSON.stringify({ query: 'sea' }) })
    const { code, log_id, msg, data } = reply.json<{ code: number; log_id: string; msg: null; data: SearchBody }>()
    deepEqual([code, log_id, msg, data._type], [200, reply.headers['x-request-id'], null, 'SearchResponse'])
  })
  test('an installation may count offset in pages', async () => {
    const other = await startServer({ offsetUnit: 'page' })
    await searchWeb(other, { count: 10, offset: 3 })
    // Pages from 1, as the clients that read it so send them.
    equal(other.search.asked.at(-1)?.offset, 20)
  })
})

test('a call that was answered is paid once, one that failed is given back', async () => {
  const uses = server.accounts.uses.length
  await searchWeb(server)
  server.search.failure = new Error('the index is gone')
  equal((await searchWeb(server)).status, 500)
  server.search.failure = undefined
  deepEqual(
    server.accounts.uses.slice(uses).map(({ ended, use }) => [ended, use.status]),
    [
      ['settled', 200],
      ['refunded', 500],
    ],
  )
  ok(!JSON.stringify(server.lines).includes('the sea'), 'no query is logged')
})
