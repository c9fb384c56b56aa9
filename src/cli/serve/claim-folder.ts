import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { UserError, type Call } from '../command.ts'
import { DATA_VERSION, openDataFolder } from '../data-folder.ts'
import { lockDataFolder, type DataLock } from '../data-lock.ts'
import { DATA_STEPS, migrateData } from '../migrate-data.ts'
import { findReadyFile, removeReadyFile } from '../ready-file.ts'

/**
 * Makes the data folder this process's own: locked, of the newest version, without the ready.json of a killed server.
 * A process that joins takes no lock and changes nothing; the folder has to be in order.
 */
export async function claimFolder(
  dataFolder: string,
  joining: boolean,
  { terminal }: Call,
): Promise<DataLock | undefined> {
  if (joining && !existsSync(join(dataFolder, 'version.json'))) {
    throw new UserError(
      `there is nothing to join at ${dataFolder}: start "unmask serve" first, or name the folder with --data DIR.`,
    )
  }
  const state = openDataFolder(dataFolder, Date.now())
  if (joining) {
    if (state.kind === 'outdated')
      throw new UserError(`${dataFolder} is of an older version: start "unmask serve" first, it brings it up to date.`)
    return undefined
  }
  const outcome = lockDataFolder(dataFolder, process.pid)
  if (outcome.kind === 'taken') throw new UserError(takenSentence(dataFolder, outcome.pid))
  if (state.kind === 'outdated') {
    const backupFolder = await migrateData(
      dataFolder,
      { from: state.version, to: DATA_VERSION, steps: DATA_STEPS },
      Date.now(),
    )
    terminal.tell(`The data folder was brought up to date; what changed was copied to ${backupFolder} first.`)
  }
  // Small things that may be lost at any time, such as checksums of model files that have not changed.
  mkdirSync(join(dataFolder, 'cache'), { recursive: true, mode: 0o700 })
  removeReadyFile(dataFolder)
  return outcome.lock
}

function takenSentence(dataFolder: string, pid: number | undefined): string {
  const ready = findReadyFile(dataFolder)
  const where = ready === undefined ? 'is starting' : `serves ${ready.baseUrl}`
  const who = pid === undefined ? 'another process' : `process ${pid}`
  return `${dataFolder} is in use: ${who} ${where}. Stop it first, name another folder with --data DIR, or add a process with serve --join.`
}
