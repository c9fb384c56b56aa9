import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findTrap, patternOf } from './traps.ts'

const NOW = Date.UTC(2026, 10, 21)

describe('a URL that only a site without end would have is not asked for', () => {
  const cases: Record<string, string | undefined> = {
    'https://a.example/docs/guide/install.html': undefined,
    'https://a.example/a/b/a/c/a': undefined,
    'https://a.example/a/b/a/c/a/d/a': 'repeated_path',
    'https://a.example/x/y/x/y/x/y': 'repeated_path',
    'https://a.example/x/y/z/x/y/z/x/y/z': 'repeated_path',
    'https://a.example/1/2/3/4/5/6/7/8/9/10/11/12': undefined,
    'https://a.example/1/2/3/4/5/6/7/8/9/10/11/12/13': 'deep_path',
    'https://a.example/blog/a.example/post': 'host_in_path',
    'https://a.example/?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8': undefined,
    'https://a.example/?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9': 'many_parameters',
    'https://a.example/calendar/2027/05': undefined,
    'https://a.example/calendar/2031/05': 'calendar',
    'https://a.example/events/1801-01-01': 'calendar',
    'https://a.example/?date=2040-01-01': 'calendar',
    'https://a.example/?year=2026': undefined,
    'https://a.example/history/1801': undefined,
    'https://a.example/?q=2040': undefined,
  }
  for (const [url, expected] of Object.entries(cases)) {
    test(`${url}: ${expected ?? 'fine'}`, () => equal(findTrap(url, NOW), expected))
  }
})

describe('URLs of one template have one pattern', () => {
  const cases: Record<string, string> = {
    'https://a.example/post/123': 'a.example/post/#',
    'https://a.example/post/7-title': 'a.example/post/#-title',
    'https://a.example/c/deadbeef01.html': 'a.example/c/#.html',
    'https://a.example/list?page=3&sort=up': 'a.example/list?page&sort',
    'http://a.example/': 'a.example/',
  }
  for (const [url, expected] of Object.entries(cases)) {
    test(`${url} is ${expected}`, () => equal(patternOf(url), expected))
  }
})
