import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { randomBase62 } from './ids.ts'

/**
 * Puts `content` at `path` in one step: a reader sees the old file or the new one, never half of one, also after a
 * power cut (file and folder are synced). `mode` is asked for; the umask may take bits away.
 */
export function replaceFile(path: string, content: string | Uint8Array, mode: number): void {
  const folder = dirname(path)
  const draft = join(folder, `.draft-${process.pid}-${randomBase62(8)}`)
  try {
    const file = openSync(draft, 'wx', mode)
    try {
      writeFileSync(file, content)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  syncFolder(folder)
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
