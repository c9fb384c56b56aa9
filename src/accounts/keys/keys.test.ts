import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createTestKey, NOON, openTestAccounts } from '../../../test/support/accounts.ts'
import type { KeyWish } from '../admin.ts'
import { openStore } from '../store/open-store.ts'
import { query } from '../store/query.ts'

const HOUR_MS = 3_600_000

describe('creating a key', () => {
  test('tells the secret once, and the key that it opens', async (context) => {
    const { accounts } = await openTestAccounts(context)
    const { key, secret } = await createTestKey(accounts, {
      name: ' laptop ',
      scopes: ['chat'],
      addresses: ['10.1.2.3/8'],
      outOfRangeSampling: 'clamp',
      expiresAt: NOON + HOUR_MS,
    })
    match(key.id, /^key_[0-9A-Za-z]{16}$/)
    deepEqual(accounts.verifyKey(secret), { kind: 'valid', key })
    deepEqual(
      { ...key, id: '', accountId: '', hint: '' },
      {
        id: '',
        accountId: '',
        hint: '',
        name: 'laptop',
        scopes: ['chat'],
        addresses: ['10.0.0.0/8'],
        createdAt: NOON,
        expiresAt: NOON + HOUR_MS,
        lastUsedAt: undefined,
        revokedAt: undefined,
        outOfRangeSampling: 'clamp',
      },
    )
    equal(key.hint, `${secret.slice(0, 12)}…${secret.slice(-4)}`)
    const [listing] = await accounts.listKeys('ann')
    deepEqual(listing, { key, account: 'ann', limits: {} })
  })

  const refusals: [string, Partial<KeyWish>, string, RegExp][] = [
    ['no name', { name: ' ' }, 'name_invalid', /1 to 80 visible characters/],
    ['no scope', { scopes: [] }, 'scopes_invalid', /chat, search/],
    ['an address that is none', { addresses: ['10.0.0.1', 'home'] }, 'addresses_invalid', /"home" is no IP address/],
    ['101 addresses', { addresses: hosts(101) }, 'addresses_invalid', /at most 100/],
    ['an expiry that is past', { expiresAt: NOON }, 'expiry_invalid', /future/],
    ['an account that is not there', { account: 'bob' }, 'account_unknown', /no account "bob"/],
    ['a limit above the package', { limits: { chat: { minute: 21 } } }, 'limits_invalid', /is 21; allowed: .* to 20/],
    ['a limit of nothing', { limits: { search: { day: 0 } } }, 'limits_invalid', /search, calls a day, is 0/],
    ['half a call', { limits: { chat: { concurrent: 1.5 } } }, 'limits_invalid', /is 1.5/],
  ]
  for (const [name, wish, reason, sentence] of refusals) {
    test(`${name}: ${reason}, and nothing is made`, async (context) => {
      const { accounts } = await openTestAccounts(context)
      await accounts.createAccount({ name: 'ann', package: 'free' })
      const made = await accounts.createKey({ account: 'ann', name: 'k', ...wish })
      ok(made.kind === 'refused')
      equal(made.reason, reason)
      match(made.message, sentence)
      deepEqual(await accounts.listKeys(), [])
    })
  }
  test('100 addresses fit, and the edges of every limit', async (context) => {
    const { accounts } = await openTestAccounts(context)
    const limits = { chat: { minute: 20, day: 1000, concurrent: 2 }, search: { minute: 1 } }
    const { key } = await createTestKey(accounts, { addresses: hosts(100), limits })
    equal(key.addresses.length, 100)
    deepEqual((await accounts.listKeys())[0]?.limits, limits)
  })
})

describe('no key before the identity is verified, none for a suspended account', () => {
  const states = ['unverified', 'submitted', 'needs_input', 'rejected'] as const
  for (const identity of states) {
    test(`${identity}: no new key, no rotation, the existing ones are refused`, async (context) => {
      const { accounts, folder } = await openTestAccounts(context)
      const { key, secret } = await createTestKey(accounts)
      const store = await openStore(folder)
      store.durable.run(query.updateTable('account').set({ identity }).where('name', '=', 'ann'))
      store.close()
      const made = await accounts.createKey({ account: 'ann', name: 'second' })
      ok(made.kind === 'refused' && made.reason === 'account_unverified')
      match(made.message, /once an operator or the verifier has confirmed it/)
      equal((await accounts.rotateKey({ id: key.id })).kind, 'refused')
      deepEqual(accounts.verifyKey(secret), { kind: 'rejected', reason: 'account_disabled' })
    })
  }
  test('suspended: refused at once; reinstated: as before', async (context) => {
    const { accounts } = await openTestAccounts(context)
    const { secret } = await createTestKey(accounts)
    await accounts.setSuspended({ account: 'ann', suspended: true })
    deepEqual(accounts.verifyKey(secret), { kind: 'rejected', reason: 'account_disabled' })
    const made = await accounts.createKey({ account: 'ann', name: 'second' })
    ok(made.kind === 'refused' && made.reason === 'account_suspended')
    await accounts.setSuspended({ account: 'ann', suspended: false })
    equal(accounts.verifyKey(secret).kind, 'valid')
  })
})

describe('rotating a key', () => {
  test('keeps its id; the old secret works until the overlap ends, the new one at once', async (context) => {
    const { accounts, clock } = await openTestAccounts(context)
    const { key, secret } = await createTestKey(accounts)
    const turned = await accounts.rotateKey({ id: key.id, overlapMs: HOUR_MS })
    ok(turned.kind === 'rotated')
    equal(turned.key.id, key.id)
    equal(turned.overlapUntil, NOON + HOUR_MS)
    notEqual(turned.secret, secret)
    equal(turned.key.hint.slice(0, 12), turned.secret.slice(0, 12))
    for (const each of [secret, turned.secret]) deepEqual(accounts.verifyKey(each), { kind: 'valid', key: turned.key })
    clock.turn(HOUR_MS - 1)
    equal(accounts.verifyKey(secret).kind, 'valid')
    clock.turn(1)
    deepEqual(accounts.verifyKey(secret), { kind: 'rejected', reason: 'expired' })
    equal(accounts.verifyKey(turned.secret).kind, 'valid')
  })
  test('without overlap ends the old secret now', async (context) => {
    const { accounts } = await openTestAccounts(context)
    const { key, secret } = await createTestKey(accounts)
    await accounts.rotateKey({ id: key.id, overlapMs: 0 })
    deepEqual(accounts.verifyKey(secret), { kind: 'rejected', reason: 'expired' })
  })
  test('twice never lengthens the life of the first secret', async (context) => {
    const { accounts, clock } = await openTestAccounts(context)
    const { key, secret } = await createTestKey(accounts)
    const first = await accounts.rotateKey({ id: key.id, overlapMs: HOUR_MS })
    const second = await accounts.rotateKey({ id: key.id, overlapMs: 5 * HOUR_MS })
    ok(first.kind === 'rotated' && second.kind === 'rotated')
    clock.turn(HOUR_MS)
    equal(accounts.verifyKey(secret).kind, 'rejected')
    equal(accounts.verifyKey(first.secret).kind, 'valid')
    clock.turn(4 * HOUR_MS)
    equal(accounts.verifyKey(first.secret).kind, 'rejected')
    equal(accounts.verifyKey(second.secret).kind, 'valid')
  })
  test('an ended or unknown key, or a senseless overlap, is refused', async (context) => {
    const { accounts, clock } = await openTestAccounts(context)
    const { key } = await createTestKey(accounts, { expiresAt: NOON + HOUR_MS })
    const reason = async (wish: { id: string; overlapMs?: number }): Promise<string> => {
      const turned = await accounts.rotateKey(wish)
      return turned.kind === 'refused' ? turned.reason : turned.kind
    }
    equal(await reason({ id: 'key_none' }), 'key_unknown')
    equal(await reason({ id: key.id, overlapMs: -1 }), 'overlap_invalid')
    equal(await reason({ id: key.id, overlapMs: 91 * 24 * HOUR_MS }), 'overlap_invalid')
    clock.turn(HOUR_MS)
    equal(await reason({ id: key.id }), 'key_ended')
  })
})

describe('revoking a key', () => {
  test('ends all its secrets at once, and twice is once', async (context) => {
    const { accounts, clock } = await openTestAccounts(context)
    const { key, secret } = await createTestKey(accounts)
    const turned = await accounts.rotateKey({ id: key.id })
    ok(turned.kind === 'rotated')
    const revoked = await accounts.revokeKey({ id: key.id })
    for (const each of [secret, turned.secret]) {
      deepEqual(accounts.verifyKey(each), { kind: 'rejected', reason: 'revoked' })
    }
    clock.turn(1)
    deepEqual(await accounts.revokeKey({ id: key.id }), revoked)
    equal((await accounts.rotateKey({ id: key.id })).kind, 'refused')
  })
  test('an unknown one is told with the next step', async (context) => {
    const { accounts } = await openTestAccounts(context)
    const revoked = await accounts.revokeKey({ id: 'key_none' })
    ok(revoked.kind === 'refused')
    match(revoked.message, /The list of keys shows the ids/)
  })
})

test('the last use of a key is written, at most once a minute', async (context) => {
  const { accounts, clock, folder } = await openTestAccounts(context)
  const { secret } = await createTestKey(accounts)
  const lastUse = async (turnMs: number): Promise<number | undefined> => {
    const again = await openTestAccounts(context, { folder, clock })
    clock.turn(turnMs)
    again.accounts.verifyKey(secret)
    await again.accounts.close()
    return (await accounts.listKeys())[0]?.key.lastUsedAt
  }
  equal(await lastUse(0), NOON)
  equal(await lastUse(59_999), NOON)
  equal(await lastUse(1), NOON + 60_000)
})

test('the list of one account holds its keys only, by name or id', async (context) => {
  const { accounts } = await openTestAccounts(context)
  const { key } = await createTestKey(accounts)
  await createTestKey(accounts, { account: 'bob' })
  for (const named of ['ann', key.accountId]) {
    deepEqual(
      (await accounts.listKeys(named)).map((listing) => listing.key.id),
      [key.id],
    )
  }
  equal((await accounts.listKeys()).length, 2)
})

function hosts(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `192.0.2.${i}`)
}
