import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../lib/replace-file.ts'
import { UserError } from './command.ts'

/** The form of the data folder that this program reads and writes. Raised with every change of a file in it. */
export const DATA_VERSION = 1

/** What may lie in a folder before Unmask has made it its own. */
const MAY_BE_THERE = new Set(['unmask.json', 'tls', 'first-key', 'lost+found'])

/** `fresh`: made or taken now. `outdated`: `migrateData` has to run before anything is opened. */
export type FolderState = { kind: 'fresh' } | { kind: 'current' } | { kind: 'outdated'; version: number }

/**
 * Makes the data folder (mode 0700) or recognises it by its `version.json`. Refuses a folder with other things in it,
 * because its mode would be changed, and one of a newer version, because it would be misread.
 */
export function openDataFolder(dataFolder: string, now: number): FolderState {
  makeFolder(dataFolder)
  const file = join(dataFolder, 'version.json')
  if (existsSync(file)) return judge(dataFolder, file)
  const strange = readdirSync(dataFolder).filter((name) => !MAY_BE_THERE.has(name))
  if (strange.length > 0) {
    throw new UserError(
      `${dataFolder} holds other things (${strange.slice(0, 3).join(', ')}) and no version.json, so it is not a data folder of Unmask. ` +
        'Name an empty or a new folder with --data DIR.',
    )
  }
  chmodSync(dataFolder, 0o700)
  writeDataVersion(dataFolder, DATA_VERSION, now)
  return { kind: 'fresh' }
}

function makeFolder(dataFolder: string): void {
  try {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file is in its place' : code
    throw new UserError(`The data folder ${dataFolder} cannot be made (${why}): name another one with --data DIR.`)
  }
}

export function writeDataVersion(dataFolder: string, version: number, now: number): void {
  const content = { version, since: new Date(now).toISOString() }
  replaceFile(join(dataFolder, 'version.json'), `${JSON.stringify(content)}\n`, 0o600)
}

function judge(dataFolder: string, file: string): FolderState {
  const version = readDataVersion(file)
  if (version > DATA_VERSION) {
    throw new UserError(
      `${dataFolder} was written by a newer Unmask (data version ${version}; this one knows ${DATA_VERSION}). ` +
        'Start that newer version, or name another folder with --data DIR.',
    )
  }
  // Secrets lie in it: a mode that was widened by a copy or a restore is narrowed again.
  if ((statSync(dataFolder).mode & 0o077) !== 0) chmodSync(dataFolder, 0o700)
  return version === DATA_VERSION ? { kind: 'current' } : { kind: 'outdated', version }
}

/** Of a `version.json` that is there; a sentence where it does not tell one. */
export function readDataVersion(file: string): number {
  try {
    const version = (JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown } | null)?.version
    if (Number.isInteger(version) && Number(version) >= 0) return Number(version)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new UserError(
    `${file} does not tell a data version. Restore it from a backup, or name another folder with --data DIR.`,
  )
}
