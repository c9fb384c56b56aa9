import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readRobotsTags } from './robots-tags.ts'

const NOW = Date.UTC(2026, 10, 21)

describe('X-Robots-Tag: what is said to all, and what is said to us', () => {
  const cases: [values: string[], noindex: boolean, nofollow: boolean][] = [
    [[], false, false],
    [['noindex'], true, false],
    [['NoIndex, NoFollow'], true, true],
    [['none'], true, true],
    [['all'], false, false],
    [['nofollow', 'noindex'], true, true],
    [['unmask: noindex'], true, false],
    [['Unmask: noindex, nofollow'], true, true],
    [['otherbot: noindex, nofollow'], false, false],
    [['otherbot: noindex, unmask: nofollow'], false, true],
    [['max-snippet: 50, noindex'], true, false],
    [['unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow'], false, true],
    [['unavailable_after: 25 Jun 2020 15:00:00 PST'], true, false],
    [['nofollow, unavailable_after: Wednesday, 03-Feb-21 15:00:00 GMT'], true, true],
    [['unavailable_after: Wed, 03 Feb 2038 15:00:00 GMT, nofollow'], false, true],
    [['unmask: unavailable_after: 2020-06-25'], true, false],
    [['otherbot: unavailable_after: 2020-06-25'], false, false],
    [['unavailable_after: soon'], false, false],
    [['noindexed'], false, false],
  ]
  for (const [values, noindex, nofollow] of cases) {
    test(JSON.stringify(values), () => deepEqual(readRobotsTags(values, 'unmask', NOW), { noindex, nofollow }))
  }
})
