import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { createTestKey, NOON, openTestAccounts } from '../../../test/support/accounts.ts'
import type { AuditCheck } from '../admin.ts'
import { openStore } from '../store/open-store.ts'

test('every change is one line: who, what, when', async (context) => {
  const { accounts, clock } = await openTestAccounts(context)
  await accounts.ensureLocalOperator()
  const { key } = await createTestKey(accounts)
  clock.turn(1000)
  await accounts.rotateKey({ id: key.id, by: 'carol' })
  await accounts.revokeKey({ id: key.id })
  await accounts.setAccountPackage({ account: 'ann', package: 'operator' })
  await accounts.setSuspended({ account: 'ann', suspended: true })
  await accounts.setSuspended({ account: 'ann', suspended: false })
  for (const minute of [1, 2]) {
    const limits = { minute, day: undefined, concurrent: 1 }
    await accounts.setPackage({ name: 'team', limits: { chat: limits, search: limits } })
  }
  const lines = (await accounts.listAudit()).map(({ at, by, action, subject }) => [at - NOON, by, action, subject])
  const ids = (await accounts.listAccounts()).map((account) => account.id)
  const first = (await accounts.listKeys('local-operator'))[0]?.key.id
  deepEqual(lines, [
    [0, 'machine', 'account_created', ids.find((id) => id !== key.accountId)],
    [0, 'machine', 'key_created', first],
    [0, 'operator', 'account_created', key.accountId],
    [0, 'operator', 'key_created', key.id],
    [1000, 'carol', 'key_rotated', key.id],
    [1000, 'operator', 'key_revoked', key.id],
    [1000, 'operator', 'account_package_changed', key.accountId],
    [1000, 'operator', 'account_suspended', key.accountId],
    [1000, 'operator', 'account_reinstated', key.accountId],
    [1000, 'operator', 'package_created', 'team'],
    [1000, 'operator', 'package_changed', 'team'],
  ])
  deepEqual(await accounts.checkAudit(), { kind: 'whole', entries: 11 })
})

test('what is refused, and what changes nothing, leaves no line', async (context) => {
  const { accounts } = await openTestAccounts(context)
  const { key } = await createTestKey(accounts)
  await accounts.revokeKey({ id: key.id })
  await accounts.revokeKey({ id: key.id })
  await accounts.createKey({ account: 'nobody', name: 'k' })
  await accounts.setSuspended({ account: 'ann', suspended: false })
  equal((await accounts.listAudit()).length, 3)
})

describe('a line changed behind our back is found', () => {
  const tampers: [string, string, AuditCheck][] = [
    ['another actor', `update audit set "by" = 'mallory' where seq = 2`, { kind: 'broken', seq: 2 }],
    ['another time', 'update audit set at = at + 1 where seq = 3', { kind: 'broken', seq: 3 }],
    ['a line taken out', 'delete from audit where seq = 2', { kind: 'broken', seq: 3 }],
    [
      'a line taken out and the rest moved up',
      'delete from audit where seq = 2; update audit set seq = seq - 1 where seq > 2',
      { kind: 'broken', seq: 2 },
    ],
    [
      'a line put in between',
      `update audit set seq = 4 where seq = 3;
       insert into audit select 3, at, "by", action, subject, detail, hash from audit where seq = 2`,
      { kind: 'broken', seq: 3 },
    ],
  ]
  for (const [name, sql, wanted] of tampers) {
    test(name, async (context) => {
      deepEqual(await checkAfter(context, sql), wanted)
    })
  }
})

async function checkAfter(context: TestContext, sql: string): Promise<AuditCheck> {
  const { accounts, folder } = await openTestAccounts(context)
  const { key } = await createTestKey(accounts)
  await accounts.revokeKey({ id: key.id })
  const store = await openStore(folder)
  store.durable.db.exec(sql)
  store.close()
  return accounts.checkAudit()
}
