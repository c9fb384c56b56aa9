import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isUnderHost, parseHost, registrableDomain } from './host.ts'

describe('a host stands under another on the boundary of a label', () => {
  const cases: [string, string, boolean][] = [
    ['example.org', 'example.org', true],
    ['docs.example.org', 'example.org', true],
    ['badexample.org', 'example.org', false],
    ['example.org', 'docs.example.org', false],
    ['example.org.evil.net', 'example.org', false],
  ]
  for (const [host, suffix, under] of cases) {
    test(`${host} under ${suffix}: ${under}`, () => equal(isUnderHost(host, suffix), under))
  }
})

describe('the registrable domain follows the public suffix list', () => {
  const cases: Record<string, string> = {
    'www.example.co.uk': 'example.co.uk',
    'a.b.example.com': 'example.com',
    'me.github.io': 'me.github.io',
    'docs.me.github.io': 'me.github.io',
    localhost: 'localhost',
    '127.0.0.1': '127.0.0.1',
  }
  for (const [host, domain] of Object.entries(cases)) test(host, () => equal(registrableDomain(host), domain))
})

describe('a host is read as people write it', () => {
  const cases: Record<string, string | undefined> = {
    'Example.ORG.': 'example.org',
    '*.example.org': 'example.org',
    '.example.org': 'example.org',
    'https://example.org/path?x': 'example.org',
    'bücher.example': 'xn--bcher-kva.example',
    'example.org:8080': 'example.org',
    '': undefined,
    'a b': undefined,
    'user@example.org': undefined,
  }
  for (const [text, host] of Object.entries(cases)) test(`"${text}"`, () => equal(parseHost(text), host))
})
