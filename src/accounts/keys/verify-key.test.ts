import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FoundKey } from './key-rows.ts'
import { makeToken } from './token.ts'
import { verifyKey } from './verify-key.ts'

const NOW = 1_000_000
const TOKEN = makeToken('a'.repeat(30))
const ROW: FoundKey = {
  id: 'key_1',
  account_id: 'acct_1',
  name: 'laptop',
  scopes: 'chat search',
  addresses: '',
  out_of_range_sampling: null,
  hint: 'um_live_aaaa…abcd',
  created_at: 1,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  chat_minute: null,
  chat_day: null,
  chat_concurrent: null,
  search_minute: null,
  search_day: null,
  search_concurrent: null,
  overlap_until: null,
  identity: 'verified',
  suspended_at: null,
}

function verify(token: string, row: FoundKey | undefined): { answer: string; lookUps: number; touched: string[] } {
  const touched: string[] = []
  let lookUps = 0
  const check = verifyKey(token, {
    now: () => NOW,
    hashKey: (text) => text,
    findByHash: () => {
      lookUps++
      return row
    },
    touch: (id) => touched.push(id),
  })
  return { answer: check.kind === 'valid' ? 'valid' : check.reason, lookUps, touched }
}

describe('a key works as long as nothing speaks against it', () => {
  const cases: [string, Partial<FoundKey>, string][] = [
    ['nothing speaks against it', {}, 'valid'],
    ['revoked', { revoked_at: NOW - 1 }, 'revoked'],
    ['expires later', { expires_at: NOW + 1 }, 'valid'],
    ['expires now', { expires_at: NOW }, 'expired'],
    ['an old secret inside its overlap', { overlap_until: NOW + 1 }, 'valid'],
    ['an old secret after its overlap', { overlap_until: NOW }, 'expired'],
    ['account suspended', { suspended_at: NOW - 1 }, 'account_disabled'],
    ['identity not verified', { identity: 'unverified' }, 'account_disabled'],
    ['identity in review', { identity: 'submitted' }, 'account_disabled'],
    ['more input asked for', { identity: 'needs_input' }, 'account_disabled'],
    ['identity rejected', { identity: 'rejected' }, 'account_disabled'],
  ]
  for (const [name, change, wanted] of cases) {
    test(`${name}: ${wanted}`, () => equal(verify(TOKEN, { ...ROW, ...change }).answer, wanted))
  }
  test('no such key: unknown', () => equal(verify(TOKEN, undefined).answer, 'unknown'))
  test('not the shape of a key: malformed, even if a row were found', () => {
    equal(verify(`${TOKEN}x`, ROW).answer, 'malformed')
  })
})

test('every wrong key costs one look-up, whatever is wrong with it', () => {
  for (const token of ['', 'Bearer', 'x'.repeat(16_000), makeToken('b'.repeat(30))]) {
    equal(verify(token, undefined).lookUps, 1)
  }
})

test('only a key that works counts as used', () => {
  deepEqual(verify(TOKEN, ROW).touched, ['key_1'])
  deepEqual(verify(TOKEN, { ...ROW, revoked_at: 1 }).touched, [])
})
