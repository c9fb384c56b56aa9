import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isInScope, looksLikePage, scopeOf, type ScopeKind } from './scope.ts'

describe('a crawl stays where its seeds stand', () => {
  const cases: [seed: string, kind: ScopeKind, host: string, expected: boolean][] = [
    ['docs.site.co.uk', 'host', 'docs.site.co.uk', true],
    ['docs.site.co.uk', 'host', 'www.docs.site.co.uk', true],
    ['www.site.co.uk', 'host', 'site.co.uk', true],
    ['docs.site.co.uk', 'host', 'site.co.uk', false],
    ['docs.site.co.uk', 'host', 'a.docs.site.co.uk', false],
    ['docs.site.co.uk', 'domain', 'blog.site.co.uk', true],
    ['docs.site.co.uk', 'domain', 'other.co.uk', false],
    ['docs.site.co.uk', 'domain', 'badsite.co.uk', false],
    ['ada.github.io', 'domain', 'bob.github.io', false],
    ['127.0.0.1', 'domain', '127.0.0.1', true],
  ]
  for (const [seed, kind, host, expected] of cases) {
    test(`${kind} of ${seed}: ${host} is ${expected ? 'in' : 'out'}`, () => {
      equal(isInScope(host, [scopeOf(seed, kind)], kind), expected)
    })
  }
})

describe('files without text are not asked for', () => {
  const cases: Record<string, boolean> = {
    'https://a.example/': true,
    'https://a.example/paper.pdf': true,
    'https://a.example/photo.JPG': false,
    'https://a.example/app.min.js': false,
    'https://a.example/v1.2': true,
    'https://a.example/view?file=photo.jpg': true,
    'https://a.example/setup.tar.gz': false,
  }
  for (const [url, expected] of Object.entries(cases)) {
    test(`${url}: ${expected ? 'asked' : 'left'}`, () => equal(looksLikePage(url), expected))
  }
})
