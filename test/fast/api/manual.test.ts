import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openManual } from '../../../src/api/manual/open-manual.ts'
import { startServer } from '../../support/api-server.ts'

const server = await startServer()
const { baseUrl } = server.listening
const get = (path: string) => server.send(path, { key: null })
const { pages } = openManual('docs')
const paths = pages.map(({ name }) => (name === '' ? '/docs/' : `/docs/${name}/`))

describe('the manual', () => {
  for (const path of paths) {
    test(`${path}: every link and picture leads somewhere, every picture has words`, async () => {
      const { status, text, headers } = await get(path)
      equal(status, 200)
      match(
        String(headers['content-security-policy']),
        /^default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'/,
      )
      ok(!/<script(?! type="application\/ld\+json")/.test(text) && !/ style=/.test(text))
      for (const [, link = ''] of text.matchAll(/(?:href|src|poster)="([^"]+)"/g)) {
        if (link.startsWith('#')) ok(text.includes(`id="${link.slice(1)}"`), `${link} leads nowhere`)
        else if (!link.startsWith(baseUrl)) ok((await get(link)).status < 400, link)
        const [page = '', anchor] = link.split('#')
        if (page !== '' && anchor !== undefined) ok((await get(page)).text.includes(`id="${anchor}"`), link)
      }
      for (const [image] of text.matchAll(/<img [^>]*>/g)) ok(/ alt="/.test(image), image)
    })
  }
  test('tells language, days and what a page is about, to people and machines', async () => {
    const { text, headers } = await get('/docs/start-de/')
    equal(headers['content-language'], 'de')
    match(
      text,
      /<html lang="de">[\s\S]*<meta name="description" content="[^"]{20,}">[\s\S]*"datePublished":"\d{4}-\d\d-\d\d"/,
    )
    const film = (await get('/docs/diffusion/')).text
    const facts = JSON.parse(/<script type="application\/ld\+json">([^<]*)</.exec(film)?.[1] ?? '') as {
      '@graph': Record<string, unknown>[]
    }
    const video = facts['@graph'].find((one) => one['@type'] === 'VideoObject') ?? {}
    deepEqual([video['duration'], video['width'], video['encodingFormat']], ['PT12S', 960, 'video/webm'])
    equal((await get(String(video['contentUrl']))).headers['content-type'], 'video/webm')
    equal((await get(String(video['thumbnailUrl']))).headers['content-type'], 'image/png')
  })
  test('examples name this server', async () => {
    ok((await get('/docs/getting-started/')).text.includes(`${baseUrl}/v1/chat/completions`))
    ok(!(await get('/docs/search/')).text.includes('127.0.0.1:8443'))
  })
  test('sitemap, feed and robots.txt tell crawlers of all of it', async () => {
    const sitemap = (await get('/sitemap.xml')).text
    for (const path of [...paths, '/docs/api/']) ok(sitemap.includes(`<loc>${baseUrl}${path}</loc>`), path)
    match(sitemap, /<image:loc>[^<]+steps\.svg/)
    const feed = (await get('/docs/feed.xml')).text
    match(feed, /<updated>\d{4}-\d\d-\d\dT00:00:00Z<\/updated>[\s\S]*<entry>/)
    const robots = (await get('/robots.txt')).text
    ok(robots.includes(`Sitemap: ${baseUrl}/sitemap.xml`) && robots.includes('Disallow: /search'))
  })
  test('a name without its slash is led on, an unknown one is 404', async () => {
    equal((await get('/docs/search')).headers.location, '/docs/search/')
    for (const path of ['/docs/none', '/docs/none/', '/docs/media/none.svg', '/docs/media/..%2Findex.md'])
      equal((await get(path)).status, 404, path)
  })
})
