import { deepEqual, equal, ok } from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { systemClock } from '../clock.ts'
import { createGuardedFetch, type FetchOutcome, type FetchRules, type GuardedFetch } from './guarded-fetch.ts'
import { findHeader } from './headers.ts'
import type { Place } from './resolve.ts'

const TEXT = 'plain text of a page. '.repeat(50)
let hits: string[] = []
let cookies: (string | undefined)[] = []

const PAGES: Record<string, (response: ServerResponse, request: IncomingMessage) => void> = {
  '/plain': (response) => response.end(TEXT),
  '/gzip': (response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(TEXT)),
  '/x-gzip': (response) => response.setHeader('content-encoding', 'x-gzip').end(gzipSync(TEXT)),
  '/deflate': (response) => response.setHeader('content-encoding', 'deflate').end(deflateSync(TEXT)),
  '/deflate-raw': (response) => response.setHeader('content-encoding', 'deflate').end(deflateRawSync(TEXT)),
  '/br': (response) => response.setHeader('content-encoding', 'br').end(brotliCompressSync(TEXT)),
  '/zstd': (response) => response.setHeader('content-encoding', 'zstd').end(zstdCompressSync(TEXT)),
  '/twice': (response) => response.setHeader('content-encoding', 'gzip, br').end(brotliCompressSync(gzipSync(TEXT))),
  '/no-gzip': (response) => response.setHeader('content-encoding', 'gzip').end(TEXT),
  '/five-layers': (response) => response.setHeader('content-encoding', 'br,br,br,br,br').end('x'),
  '/broken-br': (response) => response.setHeader('content-encoding', 'br').end('\u0000\u0001no brotli at all'),
  '/bomb': (response) => response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(20_000_000))),
  '/long': (response) => response.end(Buffer.alloc(300_000, 'x')),
  '/hop': (response) => response.writeHead(302, { location: '/plain', 'set-cookie': 'id=1' }).end(),
  '/loop': (response) => response.writeHead(302, { location: '/loop' }).end(),
  '/to-private': (response) => response.writeHead(302, { location: 'http://private.test/plain' }).end(),
  '/to-literal': (response) => response.writeHead(302, { location: 'http://[::ffff:7f00:1]/plain' }).end(),
  '/to-file': (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/silent': () => undefined,
  '/slow': (response) => response.write('a'),
}

const server = createServer((request, response) => {
  hits.push(`${request.headers.host}${request.url}`)
  cookies.push(request.headers.cookie)
  const page = PAGES[request.url ?? '']
  if (page === undefined) response.writeHead(404).end()
  else page(response, request)
})
let port = 0
const open: GuardedFetch[] = []

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
after(async () => {
  await Promise.all(open.map((fetch) => fetch.close()))
  server.closeAllConnections()
  server.close()
})

function fetchWith(rules: Partial<FetchRules>): GuardedFetch {
  const fetch = createGuardedFetch({ resolve: resolveHere, allowPrivate: true, clock: systemClock, ...rules })
  open.push(fetch)
  return fetch
}
const resolveHere = async (): Promise<Place[]> => [{ address: '127.0.0.1', port }]
const never = new AbortController().signal

function told(outcome: FetchOutcome): string {
  return outcome.kind === 'answered' ? `answered ${outcome.status}` : `${outcome.kind} ${outcome.reason}`
}

describe('every content encoding that servers use is read; what came over the wire is kept', () => {
  for (const path of ['/plain', '/gzip', '/x-gzip', '/deflate', '/deflate-raw', '/br', '/zstd', '/twice', '/no-gzip']) {
    test(path, async () => {
      const outcome = await fetchWith({}).once(`http://a.test${path}`, [['User-Agent', 'test']], never)
      ok(outcome.kind === 'answered', JSON.stringify(outcome))
      equal(Buffer.from(outcome.decoded).toString(), TEXT)
      equal(outcome.status, 200)
      equal(outcome.private, true)
      equal(Number(findHeader(outcome.headers, 'content-length') ?? outcome.body.length), outcome.body.length)
      deepEqual(outcome.requestHeaders[0], ['Host', 'a.test'])
    })
  }
})

describe('limits end what has no end', () => {
  const cases: [string, Partial<FetchRules>, string][] = [
    ['/bomb', {}, 'failed bomb'],
    ['/five-layers', {}, 'failed encoding'],
    ['/broken-br', {}, 'failed encoding'],
    ['/gzip', { limits: { decodedBytesMax: 100 } }, 'failed too_long'],
    ['/silent', { limits: { headersMs: 50 } }, 'failed timeout'],
    ['/slow', { limits: { totalMs: 80 } }, 'failed timeout'],
    ['/nowhere', {}, 'answered 404'],
  ]
  for (const [path, rules, expected] of cases) {
    test(`${path}: ${expected}`, async () => {
      equal(told(await fetchWith(rules).once(`http://a.test${path}`, [], never)), expected)
    })
  }

  test('a body over the limit is cut, and says so', async () => {
    const outcome = await fetchWith({ limits: { wireBytesMax: 1000 } }).once('http://a.test/long', [], never)
    ok(outcome.kind === 'answered')
    equal(outcome.body.length, 1000)
    equal(outcome.truncated, 'length')
  })

  test('whoever asked may leave', async () => {
    const leave = new AbortController()
    const asked = fetchWith({}).once('http://a.test/silent', [], leave.signal)
    leave.abort()
    equal(told(await asked), 'failed aborted')
  })
})

describe('redirects are followed by hand, and each hop is judged', () => {
  test('a hop is an answer to once() and followed by follow(), without its cookie', async () => {
    cookies = []
    equal(told(await fetchWith({}).once('http://a.test/hop', [], never)), 'answered 302')
    const outcome = await fetchWith({}).follow('http://a.test/hop', [], never)
    ok(outcome.kind === 'answered')
    equal(outcome.url, 'http://a.test/plain')
    deepEqual(cookies, [undefined, undefined, undefined])
  })

  const places: Record<string, string> = { 'a.test': '127.0.0.1', 'private.test': '10.0.0.1' }
  const halfOpen: Partial<FetchRules> = {
    allowPrivate: false,
    exempt: [{ origin: 'http://a.test' }],
    resolve: async (host) => [{ address: places[host] ?? '10.0.0.2', port }],
  }
  const cases: Record<string, string> = {
    '/loop': 'failed redirects',
    '/to-private': 'refused address',
    '/to-literal': 'refused address',
    '/to-file': 'refused scheme',
  }
  for (const [path, expected] of Object.entries(cases)) {
    test(`${path}: ${expected}`, async () => {
      equal(told(await fetchWith(halfOpen).follow(`http://a.test${path}`, [], never)), expected)
    })
  }
})

describe('a name is judged by all its addresses, at the moment of connecting', () => {
  test('one private address among public ones refuses the host; nothing is asked', async () => {
    hits = []
    const resolve = async (): Promise<Place[]> => [{ address: '8.8.8.8' }, { address: '127.0.0.1', port }]
    equal(
      told(await fetchWith({ allowPrivate: false, resolve }).once('http://mixed.test/plain', [], never)),
      'refused address',
    )
    deepEqual(hits, [])
  })

  test('a name that turns private between two requests is refused the second time', async () => {
    const answers: Place[][] = [[{ address: '127.0.0.1', port }], [{ address: '127.0.0.1', port }]]
    const first = fetchWith({ resolve: async () => answers.shift() ?? [] })
    equal(told(await first.once('http://rebind.test/plain', [], never)), 'answered 200')
    const second = fetchWith({ allowPrivate: false, resolve: async () => [{ address: '127.0.0.1', port }] })
    equal(told(await second.once('http://rebind.test/plain', [], never)), 'refused address')
  })

  test('the socket goes to the address that was judged, though the name would now lead elsewhere', async () => {
    let asked = 0
    const resolve = async (): Promise<Place[]> =>
      asked++ === 0 ? [{ address: '127.0.0.1', port }] : [{ address: '10.9.9.9' }]
    equal(told(await fetchWith({ resolve }).once('http://once.test/gzip', [], never)), 'answered 200')
  })

  test('a name without address is refused by name', async () => {
    equal(told(await fetchWith({ resolve: async () => [] }).once('http://none.test/', [], never)), 'refused name')
  })

  test('the second address is tried where the first does not answer', async () => {
    const resolve = async (): Promise<Place[]> => [
      { address: '127.0.0.1', port: 1 },
      { address: '127.0.0.1', port },
    ]
    equal(told(await fetchWith({ resolve }).once('http://two.test/plain', [], never)), 'answered 200')
  })

  test('nobody there', async () => {
    const resolve = async (): Promise<Place[]> => [{ address: '127.0.0.1', port: 1 }]
    equal(told(await fetchWith({ resolve }).once('http://gone.test/plain', [], never)), 'failed connect')
  })
})
