import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { normaliseUrl } from './normalise.ts'

const SAME: Record<string, Record<string, string | undefined>> = {
  'RFC 3986 §6.2.2.1: case': {
    'HTTP://Foo.COM/Index.html': 'http://foo.com/Index.html',
    'http://foo.com/%c0%1a': 'http://foo.com/%C0%1A',
    'http://foo.com/a%2fb': 'http://foo.com/a%2Fb',
  },
  'RFC 3986 §6.2.2.2: escapes that are not needed are undone, those that are stay': {
    'http://foo.com/%66oo.ht%6d%6c': 'http://foo.com/foo.html',
    'http://foo.com/you%20too.html': 'http://foo.com/you%20too.html',
    'http://foo.com/you too.html': 'http://foo.com/you%20too.html',
    'http://foo.com/file.html%23cz': 'http://foo.com/file.html%23cz',
    'http://foo.com/\u001a!': 'http://foo.com/%1A!',
    'http://foo.com/\u0080': 'http://foo.com/%C2%80',
    'http://foo.com/en Español.aspx': 'http://foo.com/en%20Espa%C3%B1ol.aspx',
    'http://foo.com/{{a}}': 'http://foo.com/%7B%7Ba%7D%7D',
    'http://foo.com/p%zz%77%v': 'http://foo.com/p%25zzw%25v',
    'http://foo.com/90%+of+it': 'http://foo.com/90%25+of+it',
    'http://foo.com/./a/../%66.html': 'http://foo.com/f.html',
  },
  'a query is form data: only the spelling of its escapes changes': {
    'http://foo.com/s?m=10&q=a%26b': 'http://foo.com/s?m=10&q=a%26b',
    'http://foo.com/s?q=c%2b%2B': 'http://foo.com/s?q=c%2B%2B',
    'http://foo.com/s?q=a+b': 'http://foo.com/s?q=a+b',
    'http://foo.com/?x[y]=1': 'http://foo.com/?x%5By%5D=1',
    'http://foo.com/s?q=a"<>^`|': 'http://foo.com/s?q=a%22%3C%3E%5E%60%7C',
    'http://foo.com/s?q=a%': 'http://foo.com/s?q=a%25',
    'http://foo.com/s?q=a%2': 'http://foo.com/s?q=a%252',
    'http://foo.com/s?q=a%252': 'http://foo.com/s?q=a%252',
    'http://foo.com/s?q=tl;dr': 'http://foo.com/s?q=tl;dr',
    'http://foo.com/?one/query/%2F_x': 'http://foo.com/?one/query/%2F_x',
    'http://foo.com/show?http%3A%2F%2Fx.com%2Fb': 'http://foo.com/show?http%3A%2F%2Fx.com%2Fb',
    'http://foo.com/aa?referer=http://bar.com': 'http://foo.com/aa?referer=http://bar.com',
  },
  hosts: {
    'http://bücher.de/': 'http://xn--bcher-kva.de/',
    'https://нэб.рф/': 'https://xn--90ax2c.xn--p1ai/',
    'https://www.0251-sachverst%c3%a4ndiger.de/': 'https://www.xn--0251-sachverstndiger-ozb.de/',
    'https://example%2Ecom/': 'https://example.com/',
    'https://www.example.org./': 'https://www.example.org/',
    'http://foo.com:80/': 'http://foo.com/',
    'https://foo.com:443/': 'https://foo.com/',
    'http://foo.com:81/': 'http://foo.com:81/',
    'http://foo.com:/': 'http://foo.com/',
    'http://2130706433/': 'http://127.0.0.1/',
  },
  paths: {
    'http://foo.com': 'http://foo.com/',
    'http://foo.com/a#ref': 'http://foo.com/a',
    'http://foo.com/aa/./foo.html': 'http://foo.com/aa/foo.html',
    'http://foo.com/aa/bb/../': 'http://foo.com/aa/',
    'http://foo.com/aa/..': 'http://foo.com/',
    'http://foo.com/aa/bb/cc/../../foo.html': 'http://foo.com/aa/foo.html',
    'http://foo.com/../../foo.html': 'http://foo.com/foo.html',
    'http://foo.com/aa/../bb/../foo.html/../../': 'http://foo.com/',
    'http://foo.com/a..a/foo.html': 'http://foo.com/a..a/foo.html',
    'http://foo.com////aa////bb//foo.html': 'http://foo.com/aa/bb/foo.html',
    'http://foo.com/..': 'http://foo.com/',
    'http://foo.com/a//..': 'http://foo.com/a/',
    'http://foo.com/a/%2e%2e/b': 'http://foo.com/b',
  },
  parameters: {
    'http://foo.com?': 'http://foo.com/',
    'http://foo.com?a=1': 'http://foo.com/?a=1',
    'http://foo.com/?b=1&a=1': 'http://foo.com/?a=1&b=1',
    'http://foo.com/?a=1&b=': 'http://foo.com/?a=1&b',
    'http://foo.com/?b&a=1': 'http://foo.com/?a=1&b',
    'http://foo.com/?&=1&b=1&a=1&': 'http://foo.com/?a=1&b=1',
    'http://foo.com/?utm_source=x&id=7&fbclid=1&gclid=2': 'http://foo.com/?id=7',
    'http://foo.com/?ref=book&source=a': 'http://foo.com/?ref=book&source=a',
    'http://foo.com/a;jsessionid=0123ABC?x=1': 'http://foo.com/a?x=1',
    'http://foo.com/?PHPSESSID=0123456789abcdef0123456789abcdef': 'http://foo.com/',
    'http://foo.com/?sid=42': 'http://foo.com/?sid=42',
  },
  'what is no page has no spelling': {
    'ftp://foo.com/': undefined,
    'mailto:a@foo.com': undefined,
    'javascript:alert(1)': undefined,
    'http://user:secret@foo.com/': undefined,
    'http://': undefined,
    'http://./': undefined,
    [`http://foo.com/${'a'.repeat(2048)}`]: undefined,
  },
}

for (const [promise, cases] of Object.entries(SAME)) {
  describe(promise, () => {
    for (const [from, to] of Object.entries(cases)) test(from.slice(0, 80), () => equal(normaliseUrl(from), to))
  })
}

test('a relative link is read against its page', () => {
  equal(normaliseUrl('../b?x=1#y', 'http://foo.com/a/c/'), 'http://foo.com/a/b?x=1')
})

test('normalising twice changes nothing', () => {
  const piece = fc.oneof(
    fc.webPath(),
    fc.string(),
    fc.constantFrom('/../', '//', '%2e%2e', '%2', ';jsessionid=1', '/./'),
  )
  fc.assert(
    fc.property(fc.array(piece), fc.webQueryParameters(), (path, query) => {
      const once = normaliseUrl(`http://foo.com/${path.join('')}?${query}`)
      if (once !== undefined) equal(normaliseUrl(once), once)
    }),
  )
})
