import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openLogFile } from './log-file.ts'
import { openLog } from './open-log.ts'

const root = mkdtempSync(join(tmpdir(), 'unmask-log-'))
after(() => rmSync(root, { recursive: true }))

const numbersIn = (path: string): number[] => readFileSync(path, 'utf8').trim().split('\n').map(Number)

test('a full file is put aside, the newest lines stay, and never more files than allowed', () => {
  const path = join(root, 'a.log')
  const log = openLogFile(path, { bytesMax: 40, filesMax: 3 })
  for (let i = 100; i < 160; i++) log.write(`${i}\n`)
  log.close()
  deepEqual(readdirSync(root).sort(), ['a.log', 'a.log.1', 'a.log.2'])
  const kept = ['a.log.2', 'a.log.1', 'a.log'].flatMap((name) => numbersIn(join(root, name)).filter((n) => n > 0))
  equal(kept.at(-1), 159)
  deepEqual(
    kept,
    Array.from({ length: kept.length }, (_, i) => 160 - kept.length + i),
  )
  equal(statSync(path).mode & 0o777, 0o600)
})

test('two processes write to one file without losing a line', () => {
  const path = join(root, 'b.log')
  const rule = { bytesMax: 1_000_000, filesMax: 2 }
  const [one, two] = [openLogFile(path, rule), openLogFile(path, rule)]
  for (let i = 0; i < 100; i++) (i % 2 === 0 ? one : two).write(`${i}\n`)
  one.close()
  two.close()
  deepEqual(
    numbersIn(path),
    Array.from({ length: 100 }, (_, i) => i),
  )
})

test('a line is one JSON object with level, time and event, and what must not be told is removed', () => {
  const folder = join(root, 'data')
  const options = { to: 'file', level: 'info', fileBytesMax: 65_536, filesMax: 2 } as const
  const log = openLog(folder, options, process.stderr)
  log.debug('too_quiet')
  log.info('request', { status: 200, key: 'um_live_secret', prompt: 'private', reply: 'private' })
  log.close()
  const text = readFileSync(join(folder, 'logs', 'unmask.log'), 'utf8')
  const line = JSON.parse(text) as Record<string, unknown>
  equal(line['event'], 'request')
  equal(line['level'], 'info')
  equal(line['status'], 200)
  ok(!Number.isNaN(Date.parse(String(line['time']))))
  ok(!text.includes('um_live_secret') && !text.includes('private'))
})
