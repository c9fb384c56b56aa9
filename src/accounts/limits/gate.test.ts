import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { SERVED, TurnedClock } from '../../../test/support/accounts.ts'
import { silentLog } from '../../lib/log.ts'
import type { Ticket } from '../accounts.ts'
import type { DayCounts } from './day-counts.ts'
import { createCalendar } from './day.ts'
import type { Rule } from './find-rules.ts'
import { Gate } from './gate.ts'

const DAY_MS = 86_400_000
const rule = (owner: string, limits: Partial<Rule> = {}): Rule => ({
  owner,
  minute: undefined,
  day: undefined,
  concurrent: undefined,
  ...limits,
})

/** The day counts as plain arithmetic; the store's own stand in day-counts.test.ts. */
function plainDays(): DayCounts & { total(owner: string): number } {
  const used = new Map<string, number>()
  const add = (owner: string, day: string, by: number): unknown =>
    used.set(`${owner} ${day}`, (used.get(`${owner} ${day}`) ?? 0) + by)
  return {
    used: (owner, _scope, day) => used.get(`${owner} ${day}`) ?? 0,
    spend: (owners, _scope, date) => {
      if (owners.some(({ owner, day }) => (used.get(`${owner} ${date}`) ?? 0) >= (day ?? Infinity))) return false
      owners.forEach(({ owner }) => add(owner, date, 1))
      return true
    },
    refund: (owners, _scope, date) => owners.forEach(({ owner }) => add(owner, date, -1)),
    total: (owner) => used.entries().reduce((sum, [name, n]) => (name.startsWith(`${owner} `) ? sum + n : sum), 0),
  }
}

function openGate(days: DayCounts = plainDays()): { gate: Gate; clock: TurnedClock } {
  const clock = new TurnedClock()
  return { gate: new Gate({ clock, calendar: createCalendar('UTC'), days, log: silentLog }), clock }
}

const none = (): void => {}

type Act = { kind: 'call' } | { kind: 'end'; which: number; refund: boolean } | { kind: 'turn'; ms: number }
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({ kind: 'call' as const }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(), refund: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('turn' as const), ms: fc.nat({ max: 40_000 }) }) },
  ),
  { maxLength: 80 },
)

test('whatever comes: never over a limit, refused calls spend nothing, refunds come back, places are freed', () => {
  fc.assert(
    fc.property(acts, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 12 }), (all, concurrent, day) => {
      const days = plainDays()
      const { gate, clock } = openGate(days)
      const rules = [rule('account', { concurrent, day, minute: 6 }), rule('key', { minute: 5 })]
      const running: Ticket[] = []
      let counted = 0
      for (const act of all) {
        if (act.kind === 'turn') clock.turn(act.ms)
        if (act.kind === 'end' && running.length > 0) {
          const [ticket] = running.splice(act.which % running.length, 1)
          if (act.refund) {
            ticket?.refund(SERVED)
            counted--
          } else ticket?.settle(SERVED)
        }
        if (act.kind !== 'call') continue
        const before = gate.limits(rules, 'chat')
        const admission = gate.admit(rules, 'chat', none)
        if (admission.kind === 'admitted') {
          running.push(admission.ticket)
          counted++
          ok((before.minute?.remaining ?? 0) > 0 && (before.day?.remaining ?? 0) > 0)
        } else deepEqual(gate.limits(rules, 'chat'), before)
        deepEqual(admission.limits, gate.limits(rules, 'chat'))
        equal(admission.limits.concurrent.running, running.length)
        ok(running.length <= concurrent && counted <= day)
        equal(days.total('account'), counted)
      }
    }),
  )
})

describe('the first limit that refuses is told: concurrency, then minute, then day', () => {
  test('all three full: concurrency', () => {
    const { gate } = openGate()
    const rules = [rule('a', { concurrent: 1, minute: 1, day: 1 })]
    gate.admit(rules, 'chat', none)
    const refused = gate.admit(rules, 'chat', none)
    deepEqual(refused, {
      kind: 'refused',
      reason: 'concurrent',
      retryAfterMs: 1000,
      limits: {
        minute: { limit: 1, remaining: 0, resetS: 60 },
        day: { limit: 1, remaining: 0, resetS: 43_200 },
        concurrent: { limit: 1, running: 1 },
      },
    })
  })
  test('minute and day full: the minute, until the oldest call is a minute old', () => {
    const { gate, clock } = openGate()
    const rules = [rule('a', { minute: 1, day: 1 })]
    gate.admit(rules, 'chat', none)
    clock.turn(20_000)
    const refused = gate.admit(rules, 'chat', none)
    ok(refused.kind === 'refused')
    deepEqual([refused.reason, refused.retryAfterMs], ['minute', 40_000])
  })
  test('only the day full: the day, until midnight; then it begins again', () => {
    const { gate, clock } = openGate()
    const rules = [rule('a', { day: 1 })]
    gate.admit(rules, 'chat', none)
    const refused = gate.admit(rules, 'chat', none)
    ok(refused.kind === 'refused')
    deepEqual([refused.reason, refused.retryAfterMs], ['day', DAY_MS / 2])
    clock.turn(refused.retryAfterMs)
    equal(gate.admit(rules, 'chat', none).kind, 'admitted')
  })
})

describe('a ticket ends once', () => {
  const ends: [string, (ticket: Ticket) => void, number, boolean][] = [
    ['settled, then refunded: it counts', (t) => [t.settle(SERVED), t.refund(SERVED)], 1, true],
    ['refunded, then settled: it does not', (t) => [t.refund(SERVED), t.settle(SERVED)], 0, false],
    ['settled twice: it counts once', (t) => [t.settle(SERVED), t.settle(SERVED)], 1, true],
  ]
  for (const [name, end, total, wasCounted] of ends) {
    test(name, () => {
      const days = plainDays()
      const { gate } = openGate(days)
      const told: boolean[] = []
      const rules = [rule('a', { concurrent: 2 })]
      gate.admit(rules, 'chat', none)
      const admission = gate.admit(rules, 'chat', (_use, counted) => told.push(counted))
      ok(admission.kind === 'admitted')
      end(admission.ticket)
      deepEqual(told, [wasCounted])
      equal(days.total('a'), 1 + total)
      equal(gate.limits(rules, 'chat').concurrent.running, 1)
    })
  }
  test('a refund after midnight goes to the day that was spent', () => {
    const days = plainDays()
    const { gate, clock } = openGate(days)
    const rules = [rule('a', { day: 5 })]
    const admission = gate.admit(rules, 'chat', none)
    clock.turn(DAY_MS)
    if (admission.kind === 'admitted') admission.ticket.refund(SERVED)
    equal(days.used('a', 'chat', '2026-07-01'), 0)
    equal(gate.limits(rules, 'chat').day?.remaining, 5)
  })
  test('a store that fails at the refund neither throws nor keeps the place', () => {
    const { gate } = openGate({
      ...plainDays(),
      refund: () => {
        throw new Error('disk full')
      },
    })
    const rules = [rule('a', { concurrent: 1 })]
    const admission = gate.admit(rules, 'chat', none)
    if (admission.kind === 'admitted') admission.ticket.refund(SERVED)
    equal(gate.limits(rules, 'chat').concurrent.running, 0)
  })
})

test('a store that fails at the day takes no place and no minute', () => {
  const { gate } = openGate({
    ...plainDays(),
    spend: () => {
      throw new Error('disk full')
    },
  })
  const rules = [rule('a', { concurrent: 1, minute: 1 })]
  for (let i = 0; i < 3; i++) {
    try {
      gate.admit(rules, 'chat', none)
    } catch (error) {
      equal(String(error), 'Error: disk full')
    }
  }
  deepEqual(gate.limits(rules, 'chat'), {
    minute: { limit: 1, remaining: 1, resetS: 0 },
    concurrent: { limit: 1, running: 0 },
  })
})

test('chat and search are counted apart', () => {
  const { gate } = openGate()
  const rules = [rule('a', { concurrent: 1, minute: 1 })]
  gate.admit(rules, 'chat', none)
  equal(gate.admit(rules, 'chat', none).kind, 'refused')
  equal(gate.admit(rules, 'search', none).kind, 'admitted')
})

test('of account and key, the one that stops first is told', () => {
  const { gate } = openGate()
  const account = rule('a', { concurrent: 4, minute: 4, day: 4 })
  gate.admit([account, rule('other key')], 'chat', none)
  gate.admit([account, rule('other key')], 'chat', none)
  deepEqual(gate.limits([account, rule('k', { concurrent: 1, minute: 3, day: 1 })], 'chat'), {
    minute: { limit: 4, remaining: 2, resetS: 60 },
    day: { limit: 1, remaining: 1, resetS: 43_200 },
    concurrent: { limit: 1, running: 0 },
  })
})

test('callers of long ago are forgotten', () => {
  const { gate, clock } = openGate()
  for (let i = 0; i < 3_000; i++) {
    const admission = gate.admit([rule(`caller ${i}`, { minute: 1 })], 'chat', none)
    if (admission.kind === 'admitted') admission.ticket.settle(SERVED)
    clock.turn(100)
  }
  ok(gate.remembered < 1_700, `${gate.remembered} callers are remembered`)
})
