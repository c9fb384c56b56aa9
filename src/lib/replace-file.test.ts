import { deepEqual, equal, throws } from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { replaceFile } from './replace-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'unmask-replace-'))
after(() => rmSync(folder, { recursive: true }))

test('the new content and mode stand there, and nothing else is left', () => {
  const path = join(folder, 'a')
  writeFileSync(path, 'old', { mode: 0o644 })
  replaceFile(path, 'new', 0o600)
  equal(readFileSync(path, 'utf8'), 'new')
  equal(statSync(path).mode & 0o777, 0o600)
  deepEqual(readdirSync(folder), ['a'])
})

test('a place that cannot be replaced leaves no draft behind', () => {
  throws(() => replaceFile(join(folder, 'none', 'a'), 'x', 0o600), /ENOENT/)
  throws(() => replaceFile(folder, 'x', 0o600))
  deepEqual(readdirSync(folder), ['a'])
})
