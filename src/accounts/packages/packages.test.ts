import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createTestKey, openTestAccounts, SERVED } from '../../../test/support/accounts.ts'
import type { LimitSet, Package } from '../admin.ts'

const FREE: LimitSet = { minute: 20, day: 1000, concurrent: 2 }
const OPEN: LimitSet = { minute: undefined, day: undefined, concurrent: 64 }

test('a new installation has the packages free and operator', async (context) => {
  const { accounts } = await openTestAccounts(context)
  deepEqual(await accounts.listPackages(), [
    { name: 'free', limits: { chat: FREE, search: FREE } },
    { name: 'operator', limits: { chat: OPEN, search: OPEN } },
  ])
})

describe('setting a package', () => {
  test('creates it, then replaces its numbers; its accounts meet them at the next call', async (context) => {
    const { accounts } = await openTestAccounts(context)
    const team: Package = { name: 'team', limits: { chat: { minute: 5, day: undefined, concurrent: 1 }, search: FREE } }
    deepEqual(await accounts.setPackage(team), { kind: 'created', package: team })
    const { key } = await createTestKey(accounts, { package: 'team' })
    deepEqual(accounts.limits(key, 'chat'), {
      minute: { limit: 5, remaining: 5, resetS: 0 },
      concurrent: { limit: 1, running: 0 },
    })
    const running = await accounts.admit(key, 'chat')
    ok(running.kind === 'admitted')
    const wider: Package = { ...team, limits: { ...team.limits, chat: { minute: 9, day: 7, concurrent: 3 } } }
    deepEqual(await accounts.setPackage(wider), { kind: 'changed', package: wider })
    deepEqual(accounts.limits(key, 'chat'), {
      minute: { limit: 9, remaining: 8, resetS: 60 },
      day: { limit: 7, remaining: 6, resetS: 43_200 },
      concurrent: { limit: 3, running: 1 },
    })
    running.ticket.settle(SERVED)
  })

  const wrong: [string, Package, string, RegExp][] = [
    [
      'a name with a blank',
      { name: 'my team', limits: { chat: FREE, search: FREE } },
      'name_invalid',
      /allowed: 1 to 40/,
    ],
    [
      'no calls a minute',
      { name: 't', limits: { chat: { ...FREE, minute: 0 }, search: FREE } },
      'limits_invalid',
      /is 0/,
    ],
    [
      'half a call',
      { name: 't', limits: { chat: FREE, search: { ...FREE, day: 0.5 } } },
      'limits_invalid',
      /search.*0.5/,
    ],
    [
      'no end',
      { name: 't', limits: { chat: { ...FREE, concurrent: Infinity }, search: FREE } },
      'limits_invalid',
      /Infin/,
    ],
  ]
  for (const [name, wish, reason, sentence] of wrong) {
    test(`${name}: ${reason}, and nothing changes`, async (context) => {
      const { accounts } = await openTestAccounts(context)
      const change = await accounts.setPackage(wish)
      ok(change.kind === 'refused' && change.reason === reason)
      match(change.message, sentence)
      equal((await accounts.listPackages()).length, 2)
    })
  }
})

test('an account that changes its package keeps the count of its day', async (context) => {
  const { accounts } = await openTestAccounts(context)
  const { key } = await createTestKey(accounts, { package: 'operator' })
  const admission = await accounts.admit(key, 'chat')
  if (admission.kind === 'admitted') admission.ticket.settle(SERVED)
  const changed = await accounts.setAccountPackage({ account: 'ann', package: 'free' })
  equal(changed.kind === 'changed' && changed.account.package, 'free')
  equal(accounts.limits(key, 'chat').day?.remaining, 999)
  const unknown = await accounts.setAccountPackage({ account: 'ann', package: 'gold' })
  ok(unknown.kind === 'refused')
  equal(unknown.message, 'There is no package "gold". Packages: free, operator.')
})

test('limits belong to the account: two keys share them, and a key with lower ones stops earlier', async (context) => {
  const { accounts } = await openTestAccounts(context)
  const wide = await createTestKey(accounts)
  const narrow = await createTestKey(accounts, { limits: { chat: { day: 1 } } })
  const call = async (of: typeof wide): Promise<string> => {
    const admission = await accounts.admit(of.key, 'chat')
    if (admission.kind === 'admitted') admission.ticket.settle(SERVED)
    return admission.kind === 'admitted' ? 'admitted' : admission.reason
  }
  equal(await call(narrow), 'admitted')
  equal(await call(narrow), 'day')
  equal(await call(wide), 'admitted')
  equal(accounts.limits(wide.key, 'chat').day?.remaining, 998)
  deepEqual(accounts.report(narrow.key), {
    key: narrow.key,
    account: { id: narrow.key.accountId, name: 'ann', package: 'free' },
    limits: { chat: accounts.limits(narrow.key, 'chat'), search: accounts.limits(narrow.key, 'search') },
    usedToday: { chat: 1, search: 0 },
  })
})
