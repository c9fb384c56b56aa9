import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { WindowPace } from './window-pace.ts'

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
