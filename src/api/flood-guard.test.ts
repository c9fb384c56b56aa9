import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { FloodGuard } from './flood-guard.ts'

test('so many a minute pass, then none until the next one begins', () => {
  let now = 90_000
  const guard = new FloodGuard({ now: () => now, monotonicMs: () => now })
  const ask = (caller: string) => guard.count(caller, '/x', 2).retryAfterMs
  deepEqual([ask('a'), ask('a'), ask('a'), ask('b')], [0, 0, 30_000, 0])
  equal(guard.count('a', '/y', 2).retryAfterMs, 0, 'each route counts for itself')
  now = 120_000
  equal(ask('a'), 0)
})
