import { chmod, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { AccountsError } from '../accounts-error.ts'
import { migrate } from './migrate.ts'
import { Sqlite } from './sqlite.ts'

/** SQLite's result codes: SQLITE_BUSY; SQLITE_CORRUPT and SQLITE_NOTADB. */
const BUSY = 5
const DAMAGED = new Set([11, 26])

/** One file, two connections: what must outlive a power cut, and what may lose its last moment to one. */
export type Store = {
  /** Accounts, keys, packages, audit: every commit is on the disk when it returns (synchronous = full). */
  durable: Sqlite
  /** Day counts, usage, times of last use, quick look-ups: a power cut may take the last moments, a kill never. */
  counters: Sqlite
  close(): void
}

/** Opens `<folder>/accounts.db` (mode 0600), makes it where it is not there, and brings its tables up to date. */
export async function openStore(folder: string): Promise<Store> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'accounts.db')
  await (await open(path, 'a', 0o600)).close()
  await chmod(path, 0o600)
  const opened: Sqlite[] = []
  const close = (): void => opened.toReversed().forEach((connection) => connection.close())
  const connect = (durability: 'full' | 'normal'): Sqlite => {
    const connection = new Sqlite(path)
    opened.push(connection)
    connection.db.exec(`pragma synchronous = ${durability}`)
    return connection
  }
  try {
    const durable = connect('full')
    await useWriteAheadLog(durable)
    await migrate(durable)
    return { durable, counters: connect('normal'), close }
  } catch (error) {
    close()
    if (!DAMAGED.has(errorCode(error))) throw error
    throw new AccountsError(`${path} is damaged or no database of ours. Restore it and pepper from your backup.`)
  }
}

/** While another process turns the same new file to WAL, SQLite answers `busy` without waiting: so we wait here. */
async function useWriteAheadLog(sqlite: Sqlite): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      sqlite.db.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if (attempt === 100 || errorCode(error) !== BUSY) throw error
      await setTimeout(20)
    }
  }
}

function errorCode(error: unknown): number {
  return Number((error as { errcode?: unknown }).errcode ?? 0) & 0xff
}
