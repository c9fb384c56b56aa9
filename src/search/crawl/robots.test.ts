import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isAllowed, parseRobots, ROBOTS_BYTES_MAX } from './robots.ts'

function allowed(robots: string | Uint8Array, path: string, token = 'unmask'): boolean {
  return isAllowed(parseRobots(typeof robots === 'string' ? Buffer.from(robots) : robots, token), path)
}

/** Promise → robots.txt → path → allowed. */
const CASES: Record<string, [robots: string, paths: Record<string, boolean>][]> = {
  'RFC 9309 §2.1: groups of several agents, rules of one agent in several groups': [
    [
      'allow: /out\nuser-agent: a\ndisallow: /\nallow: /x/\nuser-agent: unmask\ndisallow: /\nallow: /y/\n\nallow: /w/\nuser-agent: b\n\nuser-agent: unmask\nallow: /z/\ndisallow: /',
      { '/y/c': true, '/w/a': true, '/z/d': true, '/x/b': false, '/out': false },
    ],
    ['user-agent: a\nuser-agent: unmask\nuser-agent: b\ndisallow: /x', { '/x': false, '/y': true }],
    ['user-agent: a\ncrawl-delay: 1\nsitemap: http://s/\nuser-agent: unmask\ndisallow: /x', { '/x': false }],
    ['user-agent: a\ndisallow: /\nuser-agent: unmask\n', { '/x': true }],
    ['disallow: /', { '/x': true }],
    ['', { '/x': true }],
  ],
  'RFC 9309 §2.2.1: our token, in any case, else "*"': [
    ['user-agent: UnMask\ndisallow: /x', { '/x': false }],
    ['user-agent: unmask/2.0\ndisallow: /x', { '/x': false }],
    ['user-agent: unmask bot\ndisallow: /x', { '/x': false }],
    ['user-agent: unmasked\ndisallow: /x', { '/x': true }],
    ['user-agent: un\ndisallow: /x', { '/x': true }],
    ['user-agent: *\ndisallow: /\nuser-agent: unmask\nallow: /x', { '/x': true, '/y': true }],
    ['user-agent: unmask\nallow: /\nuser-agent: *\ndisallow: /', { '/x': true }],
    ['user-agent: * # all\ndisallow: /x', { '/x': false }],
    ['user-agent: * all\ndisallow: /x', { '/x': false }],
    ['user-agent: other\ndisallow: /', { '/x': true }],
    ['user-agent: *\ndisallow: /a\nuser-agent: *\ndisallow: /b', { '/a': false, '/b': false, '/c': true }],
    ['user-agent:\ndisallow: /x', { '/x': true }],
  ],
  'RFC 9309 §2.2.2: the most specific rule wins, the allowing one of equals': [
    ['user-agent: *\ndisallow: /x/page.html\nallow: /x/', { '/x/page.html': false, '/x/': true }],
    ['user-agent: *\nallow: /x/page.html\ndisallow: /x/', { '/x/page.html': true, '/x/': false }],
    ['user-agent: *\ndisallow: \nallow: ', { '/x': true }],
    ['user-agent: *\ndisallow: /\nallow: /', { '/x': true }],
    ['user-agent: *\nallow: /\ndisallow: /', { '/x': true }],
    ['user-agent: *\ndisallow: /x\nallow: /x/', { '/x': false, '/x/': true }],
    ['user-agent: *\nallow: /page\ndisallow: /*.html', { '/page.html': false, '/page': true }],
    ['user-agent: *\nallow: /x/page.\ndisallow: /*.html', { '/x/page.html': true, '/x/y.html': false }],
    ['user-agent: *\ndisallow: /', { '/robots.txt': true, '/': false }],
    ['user-agent: *\ndisallow: /X', { '/X': false, '/x': true }],
    ['user-agent: *\ndisallow: fish', { '/fish': true }],
  ],
  'RFC 9309 §2.2.2: octets are compared percent-encoded, unreserved ones decoded': [
    [
      'user-agent: *\ndisallow: /\nallow: /foo/bar?qux=taz&baz=http://foo.bar?tar&par',
      { '/foo/bar?qux=taz&baz=http://foo.bar?tar&par': true },
    ],
    [
      'user-agent: *\ndisallow: /foo?baz=https://foo.bar',
      { '/foo?baz=https://foo.bar': false, '/foo?baz=https%3A%2F%2Ffoo.bar': false },
    ],
    ['user-agent: *\ndisallow: /foo?baz=https%3a%2F%2Ffoo.bar', { '/foo?baz=https://foo.bar': false }],
    ['user-agent: *\ndisallow: /*http://', { '/r?u=http://x': false }],
    ['user-agent: *\ndisallow: /\nallow: /foo/ツ', { '/foo/%E3%83%84': true, '/foo/ツ': true, '/foo/%e3%83%84': true }],
    ['user-agent: *\ndisallow: /\nallow: /foo/%E3%83%84', { '/foo/%E3%83%84': true, '/foo/%E3%83%85': false }],
    ['user-agent: *\ndisallow: /foo/%62%61%7A', { '/foo/baz': false, '/foo/%62%61%7A': false, '/foo/bar': true }],
    ['user-agent: *\ndisallow: /foo/%2f', { '/foo/%2F': false, '/foo//': true }],
  ],
  'RFC 9309 §2.2.3: "*", "$" and "#"': [
    ['user-agent: *\ndisallow: /foo/bar/quz\nallow: /foo/*/qux', { '/foo/bar/quz': false, '/foo/bar/qux': true }],
    ['user-agent: *\ndisallow: /*.gif$', { '/a.gif': false, '/a.gif?x': true, '/.gif': false, '/gif': true }],
    [
      'user-agent: *\ndisallow: /a*b*c$',
      { '/abc': false, '/abcc': false, '/axbxc': false, '/abcd': true, '/acb': true },
    ],
    [
      'user-agent: *\ndisallow: /fish*.php',
      { '/fish.php': false, '/fishheads/catfish.php?x=1': false, '/Fish.php': true },
    ],
    ['user-agent: *\ndisallow: /x$', { '/x': false, '/xy': true }],
    ['user-agent: *\ndisallow: /x$y', { '/x$y': false, '/x': true }],
    ['user-agent: *\ndisallow: /a-%2A.html', { '/a-*.html': false, '/a-%2A.html': false, '/a-b.html': true }],
    ['user-agent: *\ndisallow: /a-%24', { '/a-$': false, '/a-': true }],
    ['user-agent: *\ndisallow: /x # not y\n# disallow: /y', { '/x': false, '/y': true }],
    ['user-agent: *\ndisallow: *', { '/': false }],
    ['user-agent: *\nallow: /\ndisallow: /$', { '/': false, '/x': true }],
    ['user-agent: *\ndisallow: /\nallow: /$', { '/': true, '/x': false }],
    ['user-agent: *\ndisallow: /$', { '/': false, '/x': true }],
    ['user-agent: *\ndisallow: /**********x$', { '/aaax': false, '/aaa': true }],
  ],
  'RFC 9309 §2.2: lines end in any way, unknown ones do not disturb': [
    ['user-agent: *\r\ndisallow: /x\r\n', { '/x': false }],
    ['user-agent: *\rdisallow: /x', { '/x': false }],
    ['user-agent: unmask\nnoindex: /\n\n<html>\ndisallow: /x\nhost: y', { '/x': false, '/y': true }],
    ['  User-Agent  :   unmask  \n\tDISALLOW\t:\t/x\t', { '/x': false }],
    ['user-agent unmask\ndisallow /x', { '/x': false }],
    ['useragent: unmask\ndisalow: /x', { '/x': false }],
    ['<!doctype html><html><body>Not found', { '/x': true }],
    ['user-agent: unmask\ndisallow:/x', { '/x': false }],
  ],
}

for (const [promise, cases] of Object.entries(CASES)) {
  describe(promise, () => {
    for (const [robots, paths] of cases) {
      for (const [path, expected] of Object.entries(paths)) {
        test(`${JSON.stringify(robots).slice(0, 90)} ${path}: ${expected ? 'allowed' : 'refused'}`, () => {
          equal(allowed(robots, path), expected)
        })
      }
    }
  })
}

describe('RFC 9309 §2.3: byte order marks and encodings', () => {
  const text = 'user-agent: *\ndisallow: /ツ'
  const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le')
  const cases: Record<string, Uint8Array> = {
    'UTF-8 with mark': Buffer.from(`\uFEFF${text}`),
    'half a mark': Buffer.concat([Buffer.from([0xef, 0xbb]), Buffer.from(text)]),
    'UTF-16 LE': utf16,
    'UTF-16 BE': Buffer.from(utf16).swap16(),
  }
  for (const [name, bytes] of Object.entries(cases)) test(name, () => equal(allowed(bytes, '/%E3%83%84'), false))
})

describe('RFC 9309 §2.5: the first 500 KiB are read', () => {
  const line = '# a comment that fills the file up to its limit\n'
  const filler = line.repeat(Math.floor((ROBOTS_BYTES_MAX - 100) / line.length))
  test('a rule before the limit counts', () => equal(allowed(`${filler}user-agent: *\ndisallow: /x`, '/x'), false))
  test('a rule behind it does not', () =>
    equal(allowed(`user-agent: *\n${filler}${line.repeat(3)}disallow: /x`, '/x'), true))
})

test('sitemaps of any group and our own delay are told', () => {
  const robots =
    'Sitemap: https://a/ü.xml\nuser-agent: *\ncrawl-delay: 9\nuser-agent: x\ndisallow: /\nuser-agent: unmask\ncrawl-delay: 2.5\nSITEMAP:/rel.xml'
  const { sitemaps, crawlDelayMs } = parseRobots(Buffer.from(robots), 'unmask')
  deepEqual(sitemaps, ['https://a/ü.xml', '/rel.xml'])
  equal(crawlDelayMs, 2500)
  equal(parseRobots(Buffer.from(robots), 'other').crawlDelayMs, 9000)
})

test('no bytes make it throw, and a hostile pattern takes no time', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.webPath(), (bytes, path) => {
      isAllowed(parseRobots(bytes, 'unmask'), path)
    }),
  )
  const startedAt = performance.now()
  equal(allowed(`user-agent: *\ndisallow: /${'*a'.repeat(1000)}$`, `/${'a'.repeat(2000)}b`), true)
  equal(performance.now() - startedAt < 500, true)
})
