/** What a result's links lead to: stored copies, pictures, the page for people. */
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startServer } from '../../support/api-server.ts'
import { pageResult } from '../../support/memory-search.ts'
import { searchWeb, type SearchBody } from '../../support/web-search.ts'

const server = await startServer()
const get = (path: string) => server.send(path, { key: null })
const AT = Date.UTC(2026, 10, 21, 4, 5, 6)

function keep(
  id: string,
  contentType: string,
  body: string | Uint8Array,
  url = 'https://site.example/a?b=1&c="2"',
): void {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  server.search.copies.set(id, { url, fetchedAt: AT, status: 200, contentType, body: bytes })
}

describe('a stored copy', () => {
  test('may show itself and do nothing, under a banner that tells when', async () => {
    keep(
      '1',
      'text/html; charset=utf-8',
      '<!doctype html><html><head><title>T</title></head><body class=x><p>Grüße</p><script>1</script></body></html>',
    )
    const reply = await get('/copy/1')
    deepEqual([reply.status, reply.headers['content-type']], [200, 'text/html; charset=utf-8'])
    equal(
      reply.headers['content-security-policy'],
      "sandbox; default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; form-action 'none'",
    )
    deepEqual(
      [reply.headers['x-content-type-options'], reply.headers['x-robots-tag'], reply.headers['set-cookie']],
      ['nosniff', 'noindex, nofollow', undefined],
    )
    match(
      reply.text,
      /<body class=x><base href="https:\/\/site\.example\/a\?b=1&#38;c=&#34;2&#34;"><div [^>]*>Stored copy, as this server fetched it on <b [^>]*>2026-11-21 12:05:06 UTC\+8<\/b>/,
    )
    ok(reply.text.includes('<p>Grüße</p>'))
  })
  test('keeps its charset; UTF-16 becomes UTF-8', async () => {
    keep('2', 'text/html; charset=windows-1251', Buffer.from('<body>\xcf\xf0\xe8', 'latin1'))
    equal((await get('/copy/2')).headers['content-type'], 'text/html; charset=windows-1251')
    keep('3', 'text/html', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('<html><body>Ж', 'utf16le')]))
    const reply = await get('/copy/3')
    equal(reply.headers['content-type'], 'text/html; charset=utf-8')
    match(reply.text, /<body><base[\s\S]*Ж$/)
  })
  test('is there at once, whatever a page repeats', async () => {
    for (const part of ['<!doctype', '<body ', '</head ', '<body x="', ' ']) {
      keep('6', 'text/html', part.repeat(Math.ceil(262_144 / part.length)))
      const startedAt = performance.now()
      equal((await get('/copy/6')).status, 200)
      ok(performance.now() - startedAt < 1000, part)
    }
  })
  test('plain text is shown as text', async () => {
    keep('4', 'text/plain', '<script>alert(1)</script>')
    match((await get('/copy/4')).text, /<pre[^>]*>&#60;script&#62;alert/)
  })
  test('SVG, PDF and XML are only ever saved', async () => {
    for (const [type, path] of [
      ['image/svg+xml', '/x/pic.svg'],
      ['application/pdf', '/paper.pdf'],
      ['application/xml', '/a/%2e%2e%22;x.xml'],
    ]) {
      keep('5', type ?? '', '<svg onload="1"/>', `https://site.example${path}`)
      const reply = await get('/copy/5')
      match(String(reply.headers['content-disposition']), /^attachment; filename="[\w.-]+"$/)
      equal(reply.headers['content-type'], type)
    }
  })
  test('one that is not there is 404', async () => {
    for (const id of ['99', 'x', '..%2f']) equal((await get(`/copy/${id}`)).status, 404)
  })
})

describe('pictures', () => {
  test('are served where one of our results names them, and no other address is fetched', async () => {
    server.pictures.known.set('https://docs.example.org/favicon.ico', { type: 'image/png', bytes: Buffer.from('icon') })
    const body = (await searchWeb(server)).json<SearchBody>()
    const icon = String(body.webPages.value[0]?.['siteIcon'])
    const reply = await get(icon)
    deepEqual([reply.status, reply.headers['content-type'], reply.text], [200, 'image/png', 'icon'])
    match(String(reply.headers['content-security-policy']), /sandbox/)
    equal((await get(icon.replace('favicon', 'other'))).status, 404, 'another address under the same signature')
    equal((await get(icon.replace('/icon/', '/thumb/'))).status, 404, 'another kind')
    equal((await get('/icon/AAAAAAAAAAAAAAAAAAAAAA?url=http%3A%2F%2F127.0.0.1%2F')).status, 404)
  })
  test('that cannot be had are 404', async () => {
    const { value } = (await searchWeb(server, { query: 'wave' })).json<SearchBody>().images
    equal((await get(String(value[0]?.['thumbnailUrl']))).status, 404)
  })
})

describe('the results page', () => {
  test('is whole without its script, loads nothing from elsewhere, and shows what a page wrote as text', async () => {
    server.search.pages = [
      pageResult({
        title: 'The sea <b>"x"',
        snippet: 'Of <script>the sea</script> & more',
        url: 'javascript:alert(1)',
      }),
      pageResult(),
    ]
    const reply = await get('/search?q=sea')
    equal(reply.headers['content-type'], 'text/html; charset=utf-8')
    match(
      String(reply.headers['content-security-policy']),
      /^default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'self'/,
    )
    ok(!/<script(?! src="\/search\/keys\.js")/.test(reply.text) && !/ (style|on\w+)=/.test(reply.text))
    ok(!reply.text.includes('javascript:alert'.concat('(1)"')))
    match(reply.text, /Of &#60;script&#62;the <mark>sea<\/mark>&#60;\/script&#62; &#38; more/)
    for (const [, link = ''] of reply.text.matchAll(/(?:src|action)="([^"]+)"/g)) ok(link.startsWith('/'), link)
    server.search.pages = [pageResult()]
  })
  test('keeps query, kind, filters and page in its links', async () => {
    server.search.pages = Array.from({ length: 35 }, (_, i) => pageResult({ url: `https://a.example/${i}` }))
    const { text } = await get('/search?q=sea&freshness=oneYear&site=a.example&page=2')
    deepEqual([server.search.asked.at(-1)?.offset, server.search.asked.at(-1)?.include], [10, ['a.example']])
    match(text, /href="\/search\?q=sea&#38;freshness=oneYear&#38;site=a\.example&#38;page=3" rel="next"/)
    match(text, /href="\/search\?q=sea&#38;type=images&#38;freshness=oneYear&#38;site=a\.example"/)
    match(text, /<option value="oneYear" selected>/)
    server.search.pages = [pageResult()]
  })
  test('says what is wrong with a query where it was typed', async () => {
    const reply = await get('/search?q=sea&site=not%20a%20host')
    equal(reply.status, 400)
    match(reply.text, /role="alert"[^>]*>include is &#34;not a host&#34;/)
  })
  test('without a query it is a box; nothing found tells what to do', async () => {
    match((await get('/search')).text, /1 page is in the index/)
    match((await get('/search?q=zebra&freshness=oneDay')).text, /Nothing was found[\s\S]*search at any time/)
  })
  test('a browser can add it', async () => {
    const reply = await get('/search/opensearch.xml')
    ok(reply.text.includes(`${server.listening.baseUrl}/search?q={searchTerms}`))
  })
})
