import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { createTestKey, newFolder, NOON, openTestAccounts, SERVED } from '../../../test/support/accounts.ts'
import type { CallUse, Scope } from '../accounts.ts'
import { openStore } from '../store/open-store.ts'
import { query } from '../store/query.ts'
import type { UsageHourRow, UsageRow } from '../store/schema.ts'
import { sumHours } from './sum-hours.ts'
import { toUsageRow } from './to-usage-row.ts'
import { writeUsage } from './write-usage.ts'

const DAY_MS = 86_400_000
const CALL = { id: 'use_1', at: NOON, accountId: 'acct_1', keyId: 'key_1', scope: 'chat' as Scope, counted: true }

async function readRows(folder: string): Promise<{ calls: UsageRow[]; hours: UsageHourRow[] }> {
  const store = await openStore(folder)
  const calls = store.counters.all(query.selectFrom('usage_call').selectAll().orderBy('id'))
  const hours = store.counters.all(query.selectFrom('usage_hour').selectAll().orderBy('hour'))
  store.close()
  return { calls, hours }
}

test('closing writes every call that has ended, once', async (context) => {
  const { accounts, folder } = await openTestAccounts(context)
  const { key } = await createTestKey(accounts)
  const first = await accounts.admit(key, 'chat')
  const second = await accounts.admit(key, 'chat')
  ok(first.kind === 'admitted' && second.kind === 'admitted')
  first.ticket.settle({ ...SERVED, requestId: 'one', user: 'end user' })
  second.ticket.refund({ ...SERVED, requestId: 'two', status: 500, outcome: 'failed', model: undefined })
  second.ticket.settle(SERVED)
  await accounts.close()
  const { calls, hours } = await readRows(folder)
  const seen = calls.map((row) => [row.request_id, row.status, row.outcome, row.counted, row.end_user, row.model])
  deepEqual(seen.sort(), [
    ['one', 200, 'served', 1, 'end user', 'Model'],
    ['two', 500, 'failed', 0, null, null],
  ])
  deepEqual(hours.map((hour) => [hour.model, hour.calls, hour.failed, hour.completion_tokens]).sort(), [
    ['', 1, 1, 20],
    ['Model', 1, 0, 20],
  ])
})

describe('the end user that a caller names', () => {
  const cases: [string, string | undefined, string | null][] = [
    ['none', undefined, null],
    ['256 characters are kept', 'x'.repeat(256), 'x'.repeat(256)],
    ['the 257th is cut', 'x'.repeat(257), 'x'.repeat(256)],
    ['never cut inside a character', `${'x'.repeat(255)}🙂`, 'x'.repeat(255)],
    ['without what no database holds', 'a\0b', 'ab'],
  ]
  for (const [name, user, wanted] of cases) {
    test(name, () => equal(toUsageRow(CALL, { ...SERVED, user }).end_user, wanted))
  }
})

const uses: fc.Arbitrary<CallUse> = fc.record({
  requestId: fc.constant('r'),
  model: fc.constantFrom(undefined, 'Model', 'Model-MoE'),
  status: fc.constant(200),
  user: fc.constant(undefined),
  promptTokens: fc.nat({ max: 9000 }),
  completionTokens: fc.nat({ max: 9000 }),
  steps: fc.nat({ max: 9000 }),
  durationMs: fc.nat({ max: 9000 }),
  outcome: fc.constantFrom('served', 'cancelled', 'failed'),
})
const calls = fc.array(fc.tuple(uses, fc.nat({ max: 3 * 3_600_000 }), fc.constantFrom<Scope>('chat', 'search')))
const total = (rows: readonly { completion_tokens: number }[]): number =>
  rows.reduce((sum, row) => sum + row.completion_tokens, 0)
const spell = (hour: UsageHourRow): string => JSON.stringify(Object.entries(hour).sort())

test('the hourly sums are the sums of the calls, however they were batched', async (context) => {
  const store = await openStore(newFolder(context))
  context.after(() => store.close())
  let id = 0
  fc.assert(
    fc.property(calls, fc.nat({ max: 20 }), (all, cut) => {
      store.counters.db.exec('delete from usage_call; delete from usage_hour')
      const rows = all.map(([use, later, scope]) =>
        toUsageRow({ ...CALL, id: `use_${++id}`, at: NOON + later, scope }, use),
      )
      for (const part of [rows.slice(0, cut), rows.slice(cut)]) {
        writeUsage(store.counters, { rows: part, touched: new Map(), deleteBefore: 0 })
      }
      const hours = store.counters.all(query.selectFrom('usage_hour').selectAll())
      equal(
        hours.reduce((sum, hour) => sum + hour.calls, 0),
        rows.length,
      )
      equal(total(hours), total(rows))
      deepEqual(hours.map(spell).sort(), sumHours(rows).map(spell).sort())
    }),
    { numRuns: 30 },
  )
})

test('lines older than the rule are deleted with the next batch, the hourly sums stay', async (context) => {
  const { accounts, clock, folder } = await openTestAccounts(context, { usageKeepDays: 2 })
  const { key } = await createTestKey(accounts)
  const call = async (requestId: string): Promise<void> => {
    const again = await openTestAccounts(context, { folder, clock, usageKeepDays: 2 })
    const admission = await again.accounts.admit(key, 'chat')
    if (admission.kind === 'admitted') admission.ticket.settle({ ...SERVED, requestId })
    await again.accounts.close()
  }
  await call('old')
  clock.turn(2 * DAY_MS)
  await call('kept')
  clock.turn(1)
  await call('new')
  const rows = await readRows(folder)
  deepEqual(rows.calls.map((row) => row.request_id).sort(), ['kept', 'new'])
  equal(
    rows.hours.reduce((sum, hour) => sum + hour.calls, 0),
    3,
  )
})
