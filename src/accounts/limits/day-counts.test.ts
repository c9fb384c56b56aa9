import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { newFolder } from '../../../test/support/accounts.ts'
import { openStore } from '../store/open-store.ts'
import type { DayCounts } from './day-counts.ts'
import { openDayCounts } from './day-counts.ts'

async function openCounts(context: TestContext): Promise<DayCounts> {
  const store = await openStore(newFolder(context))
  context.after(() => store.close())
  return openDayCounts(store.counters)
}

describe('the day count', () => {
  test('grants exactly the limit', async (context) => {
    const days = await openCounts(context)
    const owners = [{ owner: 'a', day: 3 }]
    const granted = Array.from({ length: 6 }, () => days.spend(owners, 'chat', '2026-07-01'))
    deepEqual(granted, [true, true, true, false, false, false])
    equal(days.used('a', 'chat', '2026-07-01'), 3)
  })
  test('of account and key spends both or neither', async (context) => {
    const days = await openCounts(context)
    const owners = [
      { owner: 'account', day: 3 },
      { owner: 'key', day: 1 },
    ]
    equal(days.spend(owners, 'chat', '2026-07-01'), true)
    equal(days.spend(owners, 'chat', '2026-07-01'), false)
    equal(days.used('account', 'chat', '2026-07-01'), 1)
    equal(days.used('key', 'chat', '2026-07-01'), 1)
  })
  test('counts where there is no limit, too', async (context) => {
    const days = await openCounts(context)
    const owners = [{ owner: 'a', day: undefined }]
    equal(days.spend(owners, 'chat', '2026-07-01'), true)
    equal(days.spend(owners, 'chat', '2026-07-01'), true)
    equal(days.used('a', 'chat', '2026-07-01'), 2)
  })
  test('gives back one, and never below zero', async (context) => {
    const days = await openCounts(context)
    const owners = [{ owner: 'a', day: 1 }]
    days.spend(owners, 'chat', '2026-07-01')
    days.refund(owners, 'chat', '2026-07-01')
    days.refund(owners, 'chat', '2026-07-01')
    equal(days.used('a', 'chat', '2026-07-01'), 0)
    equal(days.spend(owners, 'chat', '2026-07-01'), true)
  })
  test('keeps scopes and days apart', async (context) => {
    const days = await openCounts(context)
    const owners = [{ owner: 'a', day: 1 }]
    equal(days.spend(owners, 'chat', '2026-07-01'), true)
    equal(days.spend(owners, 'search', '2026-07-01'), true)
    equal(days.spend(owners, 'chat', '2026-07-02'), true)
  })
})
