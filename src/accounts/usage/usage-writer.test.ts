import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { LogFields } from '../../lib/log.ts'
import { silentLog } from '../../lib/log.ts'
import { UsageWriter } from './usage-writer.ts'

type Bench = { writer: UsageWriter<number>; written: number[][]; fail(on: boolean): void; told: LogFields[] }

function openWriter(context: TestContext, rowsMax = 3): Bench {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const written: number[][] = []
  const told: LogFields[] = []
  let failing = false
  const write = (rows: readonly number[]): void => {
    if (failing) throw new Error('disk full')
    written.push([...rows])
  }
  const log = { ...silentLog, error: (_event: string, fields: LogFields = {}) => void told.push(fields) }
  const writer = new UsageWriter<number>(write, { waitMs: 100, rowsMax }, log)
  return { writer, written, told, fail: (on) => (failing = on) }
}

test('what waits is written together after the time of the rule', (context) => {
  const { writer, written } = openWriter(context)
  writer.add(1)
  writer.add(2)
  context.mock.timers.tick(99)
  deepEqual(written, [])
  context.mock.timers.tick(1)
  deepEqual(written, [[1, 2]])
  context.mock.timers.tick(1000)
  equal(written.length, 1)
})

test('a full batch is written at once', (context) => {
  const { writer, written } = openWriter(context)
  for (const row of [1, 2, 3, 4]) writer.add(row)
  deepEqual(written, [[1, 2, 3]])
  writer.close()
  deepEqual(written, [[1, 2, 3], [4]])
})

test('what the disk refuses is told, waits, and is written later', (context) => {
  const { writer, written, told, fail } = openWriter(context)
  fail(true)
  for (const row of [1, 2, 3, 4]) writer.add(row)
  deepEqual(told, [{ waiting: 3, dropped: 0, error: 'Error: disk full' }])
  fail(false)
  context.mock.timers.tick(1000)
  deepEqual(written, [[1, 2, 3, 4]])
})

test('memory is bounded while the disk refuses: the oldest go, and their number is told', (context) => {
  const { writer, written, told, fail } = openWriter(context, 1_000_000)
  fail(true)
  for (let row = 0; row < 10_005; row++) writer.add(row)
  context.mock.timers.tick(100)
  deepEqual(told.at(-1), { waiting: 10_000, dropped: 5, error: 'Error: disk full' })
  fail(false)
  writer.close()
  equal(written[0]?.[0], 5)
})
