import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { othersBetween, sumBusyMs } from './neighbours.ts'

const STAT = `cpu  110 10 20 900 50 3 4 5 0 0
cpu0 100 10 10 400 25 1 2 3 0 0
cpu1 5 0 5 400 25 1 1 1 0 0
cpu8 5 0 5 100 0 1 1 1 0 0
intr 12345 0 0
`

test('busy time is that of the cores this process may use, stolen time with it', () => {
  equal(sumBusyMs(STAT, '0'), 1260)
  equal(sumBusyMs(STAT, '0-1'), 1390)
  equal(sumBusyMs(STAT, '1,8-9'), 260)
})

test('what others used is what is not our own, by the time between', () => {
  equal(othersBetween({ at: 1000, busyMs: 500, ownMs: 100 }, { at: 2000, busyMs: 2300, ownMs: 900 }), 1)
  equal(othersBetween({ at: 1000, busyMs: 500, ownMs: 100 }, { at: 2000, busyMs: 1290, ownMs: 900 }), 0)
})
