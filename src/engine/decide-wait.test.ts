import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decideWait, type Load } from './decide-wait.ts'

const load = (over: Partial<Load>): Load => ({
  now: 0,
  deadlineAt: 10_000,
  queued: 0,
  queueMax: 4,
  running: 2,
  runningMax: 2,
  holdMs: 1000,
  ...over,
})

describe('who is let into the queue', () => {
  test('one who finds a free place', () => {
    equal(decideWait(load({ running: 1, deadlineAt: 1 })).kind, 'wait')
  })
  test('one whose turn comes before the deadline: with 2 running for 1 s each, a place comes every 0.5 s', () => {
    equal(decideWait(load({ queued: 3, deadlineAt: 2001 })).kind, 'wait')
    deepEqual(decideWait(load({ queued: 3, deadlineAt: 2000 })), { kind: 'refuse', retryAfterSeconds: 2 })
  })
  test('nobody into a full queue, nor behind the deadline', () => {
    deepEqual(decideWait(load({ queued: 4 })), { kind: 'refuse', retryAfterSeconds: 3 })
    deepEqual(decideWait(load({ queued: 4, holdMs: undefined })), { kind: 'refuse', retryAfterSeconds: 1 })
    equal(decideWait(load({ running: 0, now: 10_000 })).kind, 'refuse')
  })
  test('queueMax 0 still lets in who finds a free place', () => {
    equal(decideWait(load({ queueMax: 0, running: 1 })).kind, 'wait')
    equal(decideWait(load({ queueMax: 0 })).kind, 'refuse')
  })
})
