import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { backOffAfter, busyAfter, delayAfter, parseRetryAfter } from './politeness.ts'

const NOW = Date.UTC(2026, 10, 21, 12)

describe('the rest between two requests is the longest of three', () => {
  const cases: [name: string, responseMs: number, manners: Parameters<typeof delayAfter>[1], expected: number][] = [
    ['the operator’s delay', 100, { delayMs: 1000 }, 1000],
    ['twice the time of a slow answer', 4000, { delayMs: 1000 }, 8000],
    ['a slow answer asks for 30 s at most', 29_000, { delayMs: 1000 }, 30_000],
    ['the site’s Crawl-delay', 100, { delayMs: 1000, crawlDelayMs: 5000 }, 5000],
    ['a Crawl-delay is capped at 30 s', 100, { delayMs: 1000, crawlDelayMs: 86_400_000 }, 30_000],
    ['the operator may wait longer than the site asks', 100, { delayMs: 60_000, crawlDelayMs: 5000 }, 60_000],
    ['no delay is no delay', 4000, { delayMs: 0 }, 0],
  ]
  for (const [name, responseMs, manners, expected] of cases) {
    test(name, () => equal(delayAfter(responseMs, manners), expected))
  }
})

describe('a host that fails is left alone ever longer', () => {
  test('5 s, 10 s, 20 s … an hour', () => {
    const waits = [1, 2, 3, 20].map((failures) => backOffAfter(failures, { delayMs: 1000 }))
    equal(waits.join(), '5000,10000,20000,3600000')
  })
  test('429 without Retry-After: a minute, then two', () => {
    equal(busyAfter(1, undefined, NOW), 60_000)
    equal(busyAfter(2, undefined, NOW), 120_000)
  })
  test('Retry-After is believed over our own time', () => equal(busyAfter(3, '7', NOW), 7000))
})

describe('RFC 9110 §10.2.3: Retry-After', () => {
  const cases: Record<string, number | undefined> = {
    '120': 120_000,
    ' 0 ': 0,
    'Sat, 21 Nov 2026 12:00:30 GMT': 30_000,
    'Saturday, 21-Nov-26 12:00:30 GMT': 30_000,
    'Sat, 21 Nov 2026 11:00:00 GMT': 0,
    '-5': undefined,
    '1.5': undefined,
    soon: undefined,
    '': undefined,
  }
  for (const [value, expected] of Object.entries(cases)) {
    test(`"${value}" is ${expected ?? 'nothing'}`, () => equal(parseRetryAfter(value, NOW), expected))
  }
})
