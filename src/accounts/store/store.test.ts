import { deepEqual, equal, match, rejects, throws } from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  accountsParts,
  createTestKey,
  newFolder,
  openTestAccounts,
  TurnedClock,
} from '../../../test/support/accounts.ts'
import { openAccounts } from '../open-accounts.ts'
import { openStore } from './open-store.ts'
import { loadPepper } from './pepper.ts'
import { query } from './query.ts'

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8)

test('only the owner can read the database, its log and the pepper', async (context) => {
  const { accounts, folder } = await openTestAccounts(context)
  await accounts.ensureLocalOperator()
  for (const file of readdirSync(folder)) equal(mode(join(folder, file)), '600', file)
  deepEqual(readdirSync(folder).sort(), ['accounts.db', 'accounts.db-shm', 'accounts.db-wal', 'pepper'])
})

describe('the pepper', () => {
  test('is made once, even by twenty starts at the same time', async (context) => {
    const folder = newFolder(context)
    const all = await Promise.all(Array.from({ length: 20 }, () => loadPepper(folder, true)))
    equal(all[0]?.length, 32)
    equal(new Set(all.map((pepper) => pepper.toString('hex'))).size, 1)
    deepEqual(readdirSync(folder), ['pepper'])
  })
  test('missing beside existing keys is refused with the way out', async (context) => {
    const { accounts, folder } = await openTestAccounts(context)
    await createTestKey(accounts)
    rmSync(join(folder, 'pepper'))
    await rejects(openAccounts(accountsParts(folder, new TurnedClock())), {
      name: 'AccountsError',
      message: /pepper is missing, but .*Restore the file from your backup/s,
    })
    equal(readdirSync(folder).includes('pepper'), false)
  })
  test('missing where no key exists yet is simply made anew', async (context) => {
    const { accounts, folder } = await openTestAccounts(context)
    await accounts.close()
    rmSync(join(folder, 'pepper'))
    const again = await openTestAccounts(context, { folder })
    equal((await again.accounts.ensureLocalOperator()).kind, 'created')
  })
  test('of another folder, or cut, is refused', async (context) => {
    const { accounts, folder } = await openTestAccounts(context)
    await createTestKey(accounts)
    writeFileSync(join(folder, 'pepper'), Buffer.alloc(32))
    const open = (): Promise<unknown> => openAccounts(accountsParts(folder, new TurnedClock()))
    await rejects(open(), { name: 'AccountsError', message: /not the one that accounts.db was made with/ })
    writeFileSync(join(folder, 'pepper'), Buffer.alloc(31))
    await rejects(open(), { name: 'AccountsError', message: /31 bytes instead of 32/ })
  })
})

describe('a database that cannot be used is refused with a sentence', () => {
  test('of a newer version', async (context) => {
    const { accounts, folder } = await openTestAccounts(context)
    const store = await openStore(folder)
    store.durable.db.exec(`insert into kysely_migration values ('9999-later', '2030-01-01T00:00:00.000Z')`)
    store.close()
    await accounts.close()
    await rejects(openStore(folder), { name: 'AccountsError', message: /newer Unmask/ })
  })
  test('not a database', async (context) => {
    const folder = newFolder(context)
    writeFileSync(join(folder, 'accounts.db'), 'this is no database, but long enough to look at'.repeat(100))
    await rejects(openStore(folder), { name: 'AccountsError', message: /damaged or no database of ours/ })
  })
  test('a time zone that does not exist', async (context) => {
    const parts = { ...accountsParts(newFolder(context), new TurnedClock()), zone: 'Mars/Olympus' }
    await rejects(openAccounts(parts), { name: 'AccountsError', message: /"Mars\/Olympus" is no time zone/ })
  })
})

test('a transaction that fails leaves nothing behind', async (context) => {
  const store = await openStore(newFolder(context))
  context.after(() => store.close())
  throws(() =>
    store.durable.transaction(() => {
      store.durable.run(query.insertInto('mark').values({ name: 'half', value: '1' }))
      throw new Error('in between')
    }),
  )
  deepEqual(store.durable.all(query.selectFrom('mark').selectAll()), [])
  store.durable.transaction(() => store.durable.run(query.insertInto('mark').values({ name: 'whole', value: '1' })))
  equal(store.counters.all(query.selectFrom('mark').selectAll()).length, 1)
})

test('what must outlive a power cut is synchronised with every commit, the counters are not', async (context) => {
  const store = await openStore(newFolder(context))
  context.after(() => store.close())
  const read = (name: 'durable' | 'counters', pragma: string): unknown =>
    Object.values(store[name].db.prepare(`pragma ${pragma}`).get() ?? {})[0]
  deepEqual([read('durable', 'synchronous'), read('counters', 'synchronous')], [2, 1])
  for (const name of ['durable', 'counters'] as const) {
    deepEqual([read(name, 'journal_mode'), read(name, 'foreign_keys')], ['wal', 1])
  }
})

test('no secret stands in any file of the folder', async (context) => {
  const { accounts, folder } = await openTestAccounts(context)
  const first = await accounts.ensureLocalOperator()
  const { key, secret } = await createTestKey(accounts)
  const turned = await accounts.rotateKey({ id: key.id })
  const secrets = [secret, first.kind === 'created' ? first.secret : '', turned.kind === 'rotated' ? turned.secret : '']
  for (const each of secrets) equal(accounts.verifyKey(each).kind, 'valid')
  const lookEverywhere = (): void => {
    for (const file of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, file), 'latin1')
      for (const each of secrets) {
        match(each, /^um_live_/)
        equal(bytes.includes(each), false, `${file} holds a secret`)
        equal(bytes.includes(each.slice(8, 38)), false, `${file} holds the random part of a secret`)
      }
    }
  }
  lookEverywhere()
  await accounts.close()
  lookEverywhere()
})
