import { chmod, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { migrate } from './migrate.ts'
import { Sqlite } from './sqlite.ts'

/** One file, two connections: what must outlive a power cut, and what may lose its last moment to one. */
export type Store = {
  /** Accounts, keys, packages, audit. */
  durable: Sqlite
  /** Day counts, usage, times of last use; every quick look-up. */
  counters: Sqlite
  close(): void
}

/** Opens `<folder>/accounts.db` (mode 0600), makes it where it is not there, and brings its tables up to date. */
export async function openStore(folder: string): Promise<Store> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'accounts.db')
  await (await open(path, 'a', 0o600)).close()
  await chmod(path, 0o600)
  const durable = new Sqlite(path, true)
  try {
    await useWriteAheadLog(durable)
    await migrate(durable)
    const counters = new Sqlite(path, false)
    return { durable, counters, close: () => [counters, durable].forEach((connection) => connection.close()) }
  } catch (error) {
    durable.close()
    throw error
  }
}

/** While another process turns the same new file to WAL, SQLite answers `busy` without waiting: so we wait here. */
async function useWriteAheadLog(sqlite: Sqlite): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      sqlite.db.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if (attempt === 100) throw error
      await setTimeout(20)
    }
  }
}
