import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseQuery, type ParsedQuery } from './parse.ts'

const NOTHING: ParsedQuery = {
  text: '',
  phrases: [],
  inTitle: [],
  without: [],
  withoutInTitle: [],
  sites: [],
  withoutSites: [],
  fileTypes: [],
  languages: [],
}

describe('the language of queries', () => {
  const cases: Record<string, Partial<ParsedQuery>> = {
    'red apple': { text: 'red apple' },
    '"red apple" pie': { text: 'red apple pie', phrases: ['red apple'] },
    '“red apple”': { text: 'red apple', phrases: ['red apple'] },
    'apple -pie -"red wine"': { text: 'apple', without: ['pie', 'red wine'] },
    'node site:Docs.Example.org': { text: 'node', sites: ['docs.example.org'] },
    'site:https://example.org/path?q': { sites: ['example.org'] },
    'site:*.bücher.example': { sites: ['xn--bcher-kva.example'] },
    'x -site:example.org': { text: 'x', withoutSites: ['example.org'] },
    'intitle:guide -intitle:"old guide"': { inTitle: ['guide'], withoutInTitle: ['old guide'] },
    'FileType:PDF filetype:.htm': { fileTypes: ['pdf', 'html'] },
    'lang:zh-CN lang:DE': { languages: ['zh', 'de'] },
    'site:/// lang:english': { text: 'site:/// lang:english' },
    ＡＢＣ: { text: 'ABC' },
    'well-known c++ a - b': { text: 'well-known c++ a - b' },
    'an "open end': { text: 'an open end', phrases: ['open end'] },
    '-': { text: '-' },
    '""': {},
  }
  for (const [query, parts] of Object.entries(cases)) {
    test(query, () => deepEqual(parseQuery(query), { ...NOTHING, ...parts }))
  }

  test('whatever is typed is read, and every word that is no operator stays', () => {
    const part = fc.constantFrom(
      '"',
      '-',
      'site:',
      'lang:',
      'intitle:',
      'filetype:',
      ':',
      ' ',
      'a',
      '日本',
      '\u0000',
      '\ud800',
    )
    const typed = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(part).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(typed, (query) => {
        const parsed = parseQuery(query)
        equal(parsed.text, parsed.text.trim())
        for (const host of [...parsed.sites, ...parsed.withoutSites]) equal(host, host.toLowerCase())
      }),
      { examples: [['filetype:"lang: ']] },
    )
  })
})
