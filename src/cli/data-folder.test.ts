import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { DATA_VERSION, openDataFolder, writeDataVersion } from './data-folder.ts'
import { lockDataFolder } from './data-lock.ts'
import { migrateData, type DataStep } from './migrate-data.ts'

const NOW = Date.UTC(2027, 0, 31, 12)
const root = mkdtempSync(join(tmpdir(), 'unmask-data-'))
after(() => rmSync(root, { recursive: true }))
let count = 0
const newFolder = (): string => join(root, `data-${count++}`)
const versionOf = (folder: string): unknown => JSON.parse(readFileSync(join(folder, 'version.json'), 'utf8')).version

describe('a data folder', () => {
  test('is made with mode 0700 and carries a version', () => {
    const folder = newFolder()
    deepEqual(openDataFolder(folder, NOW), { kind: 'fresh' })
    equal(statSync(folder).mode & 0o777, 0o700)
    equal(versionOf(folder), DATA_VERSION)
    deepEqual(openDataFolder(folder, NOW), { kind: 'current' })
  })

  test('that cannot be made is a sentence', () => {
    const file = newFolder()
    writeFileSync(file, '')
    throws(() => openDataFolder(file, NOW), /cannot be made \(a file is in its place\): name another one/)
    throws(() => openDataFolder(join(file, 'in'), NOW), /a file is in its place/)
  })

  test('may hold settings and certificates before the first start', () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'tls'), { recursive: true })
    writeFileSync(join(folder, 'unmask.json'), '{}')
    deepEqual(openDataFolder(folder, NOW), { kind: 'fresh' })
  })

  test('that holds other things is refused and left as it is', () => {
    const folder = newFolder()
    mkdirSync(folder)
    chmodSync(folder, 0o755)
    writeFileSync(join(folder, 'diary.txt'), '')
    throws(() => openDataFolder(folder, NOW), /holds other things \(diary\.txt\).*--data DIR/)
    equal(statSync(folder).mode & 0o777, 0o755)
  })

  test('of a newer version is refused', () => {
    const folder = newFolder()
    openDataFolder(folder, NOW)
    writeDataVersion(folder, DATA_VERSION + 1, NOW)
    throws(() => openDataFolder(folder, NOW), /written by a newer Unmask/)
  })

  test('of an older version is told as such', () => {
    const folder = newFolder()
    openDataFolder(folder, NOW)
    writeDataVersion(folder, 0, NOW)
    deepEqual(openDataFolder(folder, NOW), { kind: 'outdated', version: 0 })
  })

  test('whose mode was widened is narrowed', () => {
    const folder = newFolder()
    openDataFolder(folder, NOW)
    chmodSync(folder, 0o777)
    openDataFolder(folder, NOW)
    equal(statSync(folder).mode & 0o777, 0o700)
  })

  for (const text of ['', '{', '{"version":"1"}', '{"version":-1}', 'null']) {
    test(`whose version reads ${JSON.stringify(text)} is refused with a sentence`, () => {
      const folder = newFolder()
      openDataFolder(folder, NOW)
      writeFileSync(join(folder, 'version.json'), text)
      throws(() => openDataFolder(folder, NOW), /does not tell a data version/)
    })
  }
})

describe('an older data folder is backed up, then migrated step by step', () => {
  const steps: DataStep[] = [
    { from: 0, files: ['a.txt', 'none.txt'], run: async (folder) => writeFileSync(join(folder, 'a.txt'), 'one') },
    {
      from: 1,
      files: ['a.txt', 'b.db'],
      run: async (folder) => {
        ok(existsSync(join(folder, 'backups')))
        writeFileSync(join(folder, 'a.txt'), 'two')
      },
    },
  ]

  test('the backup holds what was there before the first step, databases with their write-ahead log', async () => {
    const folder = newFolder()
    openDataFolder(folder, NOW)
    writeFileSync(join(folder, 'a.txt'), 'zero')
    const database = new DatabaseSync(join(folder, 'b.db'))
    database.exec("pragma journal_mode = wal; create table t (x); insert into t values ('kept')")
    const kept = await migrateData(folder, { from: 0, to: 2, steps }, NOW)
    database.close()
    equal(kept, join(folder, 'backups', 'version-0-20270131T120000Z'))
    equal(readFileSync(join(kept, 'a.txt'), 'utf8'), 'zero')
    equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'two')
    const copy = new DatabaseSync(join(kept, 'b.db'))
    equal(copy.prepare('select x from t').get()?.['x'], 'kept')
    copy.close()
    equal(versionOf(folder), 2)
  })

  test('a step that fails leaves the version of the last whole one, and the next run goes on there', async () => {
    const folder = newFolder()
    openDataFolder(folder, NOW)
    writeFileSync(join(folder, 'a.txt'), 'zero')
    const broken: DataStep = {
      from: 1,
      files: [],
      run: async () => {
        throw new Error('disk full')
      },
    }
    await migrateData(folder, { from: 0, to: 2, steps: [...steps.slice(0, 1), broken] }, NOW).then(
      () => ok(false, 'must fail'),
      (error: Error) => match(error.message, /disk full/),
    )
    equal(versionOf(folder), 1)
    await migrateData(folder, { from: 1, to: 2, steps }, NOW + 1000)
    equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'two')
  })
})

test('a version from which no step leads on is refused', async () => {
  const folder = newFolder()
  openDataFolder(folder, NOW)
  await rejects(
    migrateData(folder, { from: 0, to: 1, steps: [] }, NOW),
    /of version 0, from which there is no way to 1/,
  )
})

describe('the lock of a data folder', () => {
  test('a second owner is told who the first one is, and may have it afterwards', () => {
    const folder = newFolder()
    openDataFolder(folder, NOW)
    const first = lockDataFolder(folder, 111)
    deepEqual(lockDataFolder(folder, 222), { kind: 'taken', pid: 111 })
    ok(first.kind === 'held')
    first.lock.release()
    const second = lockDataFolder(folder, 222)
    ok(second.kind === 'held')
    deepEqual(lockDataFolder(folder, 333), { kind: 'taken', pid: 222 })
    second.lock.release()
  })

  test('kill -9 of its owner frees it at once', async () => {
    const folder = newFolder()
    openDataFolder(folder, NOW)
    const program = `import { lockDataFolder } from ${JSON.stringify(join(import.meta.dirname, 'data-lock.ts'))}
      lockDataFolder(${JSON.stringify(folder)}, process.pid); process.stdout.write('held'); setInterval(() => {}, 1000)`
    const owner = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(owner.stdout, 'data')
    deepEqual(lockDataFolder(folder, 1), { kind: 'taken', pid: owner.pid })
    owner.kill('SIGKILL')
    await once(owner, 'exit')
    const next = lockDataFolder(folder, 1)
    ok(next.kind === 'held')
    next.lock.release()
  })
})
