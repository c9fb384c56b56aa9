import { deepEqual, equal, ok } from 'node:assert/strict'
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { describe, test } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { createTestKey, newFolder, openTestAccounts } from '../../support/accounts.ts'

const WRITER = new URL('../../support/accounts-writer.ts', import.meta.url)
const CHILD = new URL('../../support/accounts-child.ts', import.meta.url)
const ROUNDS = 6

/** Starts the writer, kills it (SIGKILL) after so many acknowledgements, and returns all that it said. */
async function writeUntilKilled(args: string[], lines: number): Promise<string[]> {
  const writer = spawn(process.execPath, [WRITER.pathname, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(writer, 'exit')
  const told: string[] = []
  for await (const line of createInterface({ input: writer.stdout })) {
    told.push(line)
    if (told.length === lines) writer.kill('SIGKILL')
  }
  deepEqual(await ended, [null, 'SIGKILL'])
  return told
}

test('a process killed under load loses nothing it acknowledged: keys, revocations, daily counts', async (context) => {
  const { accounts, folder } = await openTestAccounts(context)
  const { key } = await createTestKey(accounts, { package: 'operator' })
  const secrets = new Map<string, string>()
  const revoked = new Set<string>()
  let admitted = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const told = await writeUntilKilled([folder, 'ann', key.id], 150 + 37 * round)
    for (const [word, id = '', secret = ''] of told.map((line) => line.split(' '))) {
      if (word === 'key') secrets.set(id, secret)
      if (word === 'revoked') revoked.add(id)
      if (word === 'admitted') admitted++
    }
    for (const [id, secret] of secrets) {
      const check = accounts.verifyKey(secret)
      if (revoked.has(id)) deepEqual(check, { kind: 'rejected', reason: 'revoked' })
      else ok(check.kind === 'valid' || check.reason === 'revoked', 'a revocation may have come in unacknowledged')
    }
    const { chat } = accounts.report(key).usedToday
    ok(chat >= admitted && chat <= admitted + round, `${chat} counted, ${admitted} acknowledged, ${round} kills`)
    equal((await accounts.checkAudit()).kind, 'whole')
    const database = new DatabaseSync(join(folder, 'accounts.db'))
    deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
    deepEqual(database.prepare('pragma foreign_key_check').all(), [])
    database.close()
  }
  ok(secrets.size > ROUNDS && revoked.size > 0 && admitted > 100)
})

describe('a first start that is killed half-way is simply done again', () => {
  for (const file of ['accounts.db', 'accounts.db-journal', 'accounts.db-wal', 'pepper']) {
    test(`killed when ${file} appears`, async (context) => {
      const folder = newFolder(context)
      const changes = watch(folder, { signal: AbortSignal.timeout(60_000) })
      const child = fork(CHILD, [folder])
      const ended = once(child, 'exit')
      child.send({ verb: 'ensure' })
      for await (const change of changes) {
        if (change.filename === file) break
      }
      child.kill('SIGKILL')
      await ended
      const { accounts } = await openTestAccounts(context, { folder })
      await accounts.ensureLocalOperator()
      equal((await accounts.listKeys()).length, 1)
      deepEqual(await accounts.checkAudit(), { kind: 'whole', entries: 2 })
    })
  }
})
