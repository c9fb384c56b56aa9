import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { addressGroup, FloodGuard } from './flood-guard.ts'

test('so many a minute pass, then none until the next one begins', () => {
  let now = 90_000
  const guard = new FloodGuard({ now: () => now, monotonicMs: () => now })
  const ask = (caller: string) => guard.count(caller, '/x', 2).retryAfterMs
  deepEqual([ask('a'), ask('a'), ask('a'), ask('b')], [0, 0, 30_000, 0])
  equal(guard.count('a', '/y', 2).retryAfterMs, 0, 'each route counts for itself')
  now = 120_000
  equal(ask('a'), 0)
})

test('an IPv6 /64 counts as one, IPv4 addresses each for itself', () => {
  equal(addressGroup('2001:db8:1:2::1'), addressGroup('2001:db8:1:2:ffff::9'))
  equal(addressGroup('2001:db8:1:2::1') === addressGroup('2001:db8:1:3::1'), false)
  equal(addressGroup('192.0.2.1') === addressGroup('192.0.2.2'), false)
  equal(addressGroup('::ffff:192.0.2.1'), addressGroup('192.0.2.1'))
  equal(addressGroup('unix'), 'unix')
})
