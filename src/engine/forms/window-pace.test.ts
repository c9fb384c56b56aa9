import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { tokensToPay, WindowPace } from './window-pace.ts'

/** Records forwards of so many tokens until the pace changes; gives how many it took. */
function untilChange(pace: WindowPace, tokens: number, most = 1000): number {
  const before = pace.rests
  for (let i = 1; i <= most; i++) {
    pace.record(tokens)
    if (pace.rests !== before) return i
  }
  return most
}

test('a window whose drafts are confirmed never rests', () => {
  equal(untilChange(new WindowPace(), 2), 1000)
})

test('a window that brings nothing rests after four forwards, longer each time, up to 192 tokens', () => {
  const pace = new WindowPace()
  for (const rest of [48, 96, 192, 192]) {
    equal(untilChange(pace, 1), 4)
    equal(pace.rests, true)
    equal(untilChange(pace, 1), rest)
  }
})

test('one trial that pays makes the next rest a short one again', () => {
  const pace = new WindowPace()
  untilChange(pace, 1)
  untilChange(pace, 1)
  for (let i = 0; i < 4; i++) pace.record(3)
  equal(untilChange(pace, 1), 4)
  equal(untilChange(pace, 1), 48)
})

test('alone a window pays from 1.6 tokens a forward, beside others from more', () => {
  ok(tokensToPay(0) > 1.5 && tokensToPay(0) < 1.7)
  for (let others = 0; others < 64; others++) ok(tokensToPay(others + 1) > tokensToPay(others))
})

test('beside many others a window rests at once, and goes on where it was when they are gone', () => {
  const pace = new WindowPace()
  pace.record(3)
  pace.others = 4
  equal(pace.rests, false)
  pace.others = 5
  equal(pace.rests, true)
  for (let i = 0; i < 100; i++) pace.record(1)
  pace.others = 0
  equal(pace.rests, false)
  for (let i = 0; i < 3; i++) pace.record(3)
  equal(pace.rests, false)
})
