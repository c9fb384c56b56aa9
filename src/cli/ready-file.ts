import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../lib/replace-file.ts'

/** What programs beside the server need to reach it. `baseUrl` has no path: clients of OpenAI's kind add `/v1`. */
export type Ready = { baseUrl: string; caFile: string; consoleUrl: string; pid: number }

export function writeReadyFile(dataFolder: string, ready: Ready): void {
  replaceFile(readyPath(dataFolder), `${JSON.stringify(ready, null, 2)}\n`, 0o600)
}

/** Undefined where no server is ready. A file that a killed server left is removed by the next one before it loads. */
export function findReadyFile(dataFolder: string): Ready | undefined {
  try {
    return JSON.parse(readFileSync(readyPath(dataFolder), 'utf8')) as Ready
  } catch {
    // Absent or unreadable: either way nobody can be reached by it.
    return undefined
  }
}

export function removeReadyFile(dataFolder: string): void {
  rmSync(readyPath(dataFolder), { force: true })
}

function readyPath(dataFolder: string): string {
  return join(dataFolder, 'ready.json')
}
