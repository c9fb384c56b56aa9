import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EventQueue } from './event-queue.ts'
import type { GenerateEvent } from './messages.ts'

const step = (n: number): GenerateEvent => ({ kind: 'step', step: n, set: [], takenBack: [], masked: [] })

describe('events that wait for their reader', () => {
  test('texts grow together, other events keep their order', async () => {
    const queue = new EventQueue(() => {})
    queue.push({ kind: 'started', promptTokens: 1 })
    queue.push({ kind: 'text', text: 'a' })
    queue.push({ kind: 'text', text: 'b' })
    queue.push(step(1))
    queue.push({ kind: 'text', text: 'c' })
    const heard = [await queue.next(), await queue.next(), await queue.next(), await queue.next()]
    deepEqual(heard, [
      { kind: 'started', promptTokens: 1 },
      { kind: 'text', text: 'ab' },
      step(1),
      { kind: 'text', text: 'c' },
    ])
  })
  test('a reader that waits gets the next event', async () => {
    const queue = new EventQueue(() => {})
    const next = queue.next()
    queue.push(step(1))
    deepEqual(await next, step(1))
  })
  test('a reader that is far behind pauses the reply, once; one that has caught up lets it go on', async () => {
    const flow: boolean[] = []
    const queue = new EventQueue((paused) => flow.push(paused))
    for (let i = 0; i < 1000; i++) queue.push(step(i))
    deepEqual(flow, [true])
    let read = 0
    while (flow.length === 1) {
      await queue.next()
      read++
    }
    deepEqual(flow, [true, false])
    ok(read < 1000)
    for (; read < 1000; read++) await queue.next()
    equal(flow.length, 2)
  })
})
