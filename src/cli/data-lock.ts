import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type DataLock = { release(): void }
export type LockOutcome = { kind: 'held'; lock: DataLock } | { kind: 'taken'; pid: number | undefined }

/**
 * Takes the data folder for this process, or tells whose it is. The lock is SQLite's write lock on `lock.db`: the
 * kernel gives it back when its owner dies in any way, so there is no stale lock, and no process id to be mistaken.
 */
export function lockDataFolder(dataFolder: string, pid: number): LockOutcome {
  const database = new DatabaseSync(join(dataFolder, 'lock.db'), { timeout: 0 })
  try {
    database.exec('create table if not exists owner (pid integer not null)')
    database.exec('begin immediate')
    database.exec('delete from owner')
    database.prepare('insert into owner values (?)').run(pid)
    // Committed so that others can read who it is; then the write lock is taken for good. Whoever comes between wins.
    database.exec('commit; begin immediate')
    return { kind: 'held', lock: { release: () => database.close() } }
  } catch (error) {
    const taken = isBusy(error) ? { kind: 'taken' as const, pid: readOwner(database) } : undefined
    database.close()
    if (taken === undefined) throw error
    return taken
  }
}

/** SQLITE_BUSY is 5; its extended codes keep it in the low byte. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5
}

function readOwner(database: DatabaseSync): number | undefined {
  try {
    return Number(database.prepare('select pid from owner').get()?.['pid']) || undefined
  } catch {
    // The owner is just writing its name: it is taken all the same, only by whom is not known yet.
    return undefined
  }
}
