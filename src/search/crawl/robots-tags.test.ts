import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readRobotsTags } from './robots-tags.ts'

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
    [['noindexed'], false, false],
  ]
  for (const [values, noindex, nofollow] of cases) {
    test(JSON.stringify(values), () => deepEqual(readRobotsTags(values, 'unmask'), { noindex, nofollow }))
  }
})
