import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkName } from './check-name.ts'

describe('a name looks in every list as it is', () => {
  const cases: Record<string, string | undefined> = {
    laptop: 'laptop',
    '  my phone ': 'my phone',
    'Ünïcode 日本 🙂': 'Ünïcode 日本 🙂',
    '': undefined,
    '   ': undefined,
    'two\nlines': undefined,
    'a\u202Eb': undefined,
    'a\u200Bb': undefined,
    '\uD800': undefined,
  }
  for (const [name, wanted] of Object.entries(cases)) {
    test(`${JSON.stringify(name)} → ${JSON.stringify(wanted)}`, () => equal(checkName(name), wanted))
  }
  test('80 characters fit, 81 do not', () => {
    equal(checkName('x'.repeat(80)), 'x'.repeat(80))
    equal(checkName('x'.repeat(81)), undefined)
  })
})
