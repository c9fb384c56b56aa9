import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nearestWord } from './nearest-word.ts'

const COMMANDS = ['serve', 'keys', 'accounts', 'models', 'doctor', 'help']

describe('a typing error finds the word that was meant', () => {
  const cases: Record<string, string | undefined> = {
    sevre: 'serve',
    key: 'keys',
    KEYS: 'keys',
    acounts: 'accounts',
    docter: 'doctor',
    xyzzy: undefined,
    '': undefined,
  }
  for (const [typed, meant] of Object.entries(cases)) {
    test(`"${typed}" → ${meant ?? 'nothing'}`, () => equal(nearestWord(typed, COMMANDS), meant))
  }
})

test('of two equally near words the first one is taken', () => {
  equal(nearestWord('bat', ['cat', 'hat']), 'cat')
})
