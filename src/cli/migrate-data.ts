import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { UserError } from './command.ts'
import { writeDataVersion } from './data-folder.ts'

/** One step from version `from` to the next: `files` are copied away first, then `run` changes them. */
export type DataStep = { from: number; files: string[]; run(dataFolder: string): Promise<void> }

/** Version 1 is the first that was released: nothing is older yet. Tables inside accounts.db migrate by their own list. */
export const DATA_STEPS: DataStep[] = []

type Way = { from: number; to: number; steps: DataStep[] }

/**
 * Brings an older data folder to version `to`, one step after the other; each step's version is written when it is done,
 * so an interrupted migration goes on where it stopped. Resolves with the folder that holds the old files.
 */
export async function migrateData(dataFolder: string, { from, to, steps }: Way, now: number): Promise<string> {
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
  const backupFolder = join(dataFolder, 'backups', `version-${from}-${stamp}`)
  for (let version = from; version < to; version++) {
    const step = steps.find((one) => one.from === version)
    if (step === undefined)
      throw new UserError(`${dataFolder} is of version ${version}, from which there is no way to ${to}.`)
    for (const file of step.files) await keep(dataFolder, file, backupFolder)
    await step.run(dataFolder)
    writeDataVersion(dataFolder, version + 1, now)
  }
  return backupFolder
}

async function keep(dataFolder: string, file: string, backupFolder: string): Promise<void> {
  const from = join(dataFolder, file)
  const to = join(backupFolder, file)
  // The first copy is the oldest form: a later step of the same run must not replace it.
  if (!existsSync(from) || existsSync(to)) return
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  if (!file.endsWith('.db')) return cpSync(from, to, { recursive: true, preserveTimestamps: true })
  // A database may have pages in its write-ahead log: SQLite's own backup brings them together.
  const database = new DatabaseSync(from, { readOnly: true })
  try {
    await backup(database, to)
  } finally {
    database.close()
  }
}
