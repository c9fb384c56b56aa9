import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { freeBetween, sumBusy } from './neighbours.ts'

const STAT = `cpu  110 10 20 900 50 3 4 5 0 0
cpu0 100 10 10 400 25 1 2 3 0 0
cpu1 5 0 5 400 25 1 1 1 0 0
cpu8 5 0 5 100 0 1 1 1 0 0
intr 12345 0 0
`

test('busy time is that of the cores this process may use, stolen time with it', () => {
  deepEqual(sumBusy(STAT, '0'), { cores: 1, busyMs: 1260 })
  deepEqual(sumBusy(STAT, '0-1'), { cores: 2, busyMs: 1390 })
  deepEqual(sumBusy(STAT, '1,8-9'), { cores: 2, busyMs: 260 })
})

test('what others leave free is what they did not use, by the time between; our own use is none of theirs', () => {
  const before = { at: 1000, cores: 2, busyMs: 500, ownMs: 100 }
  equal(freeBetween(before, { at: 2000, cores: 2, busyMs: 2300, ownMs: 900 }), 1)
  equal(freeBetween(before, { at: 2000, cores: 2, busyMs: 1290, ownMs: 900 }), 2)
})
