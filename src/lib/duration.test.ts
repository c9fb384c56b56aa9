import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseDurationMs } from './duration.ts'

describe('a number with a unit is a time; anything else is not', () => {
  const cases: Record<string, number | undefined> = {
    '90s': 90_000,
    '15m': 900_000,
    '12h': 43_200_000,
    '30d': 2_592_000_000,
    '2w': 1_209_600_000,
    0: 0,
    '30': undefined,
    '-1d': undefined,
    '1.5h': undefined,
    '1 d': undefined,
    d: undefined,
    '': undefined,
  }
  for (const [text, ms] of Object.entries(cases)) test(`"${text}"`, () => equal(parseDurationMs(text), ms))
})
