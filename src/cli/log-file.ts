import { closeSync, fstatSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'

export type LogFile = { write(line: string): void; close(): void }

/** How long a file that another process has put aside may still be written to. */
const LOOK_EVERY_MS = 1000

/**
 * Appends whole lines to `path`; at `bytesMax` it becomes `path.1`, older ones move up, and `filesMax` are kept in all.
 * Several processes may write to one file (append mode keeps lines whole); whoever finds it full moves it, the others
 * notice within a second. Written at once, so that the last line before a crash is there.
 */
export function openLogFile(path: string, rule: { bytesMax: number; filesMax: number }): LogFile {
  let file = openSync(path, 'a', 0o600)
  let lookedAt = 0
  const reopen = (): void => {
    closeSync(file)
    file = openSync(path, 'a', 0o600)
  }
  const look = (): void => {
    const now = performance.now()
    if (now - lookedAt < LOOK_EVERY_MS && lookedAt > 0) return
    lookedAt = now
    if (statSync(path, { throwIfNoEntry: false })?.ino !== fstatSync(file).ino) reopen()
  }
  return {
    write: (line) => {
      look()
      writeSync(file, line)
      if (fstatSync(file).size < rule.bytesMax) return
      // Another process may have moved it since the last look.
      if (statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(file).ino) putAside(path, rule.filesMax)
      reopen()
    },
    close: () => closeSync(file),
  }
}

function putAside(path: string, filesMax: number): void {
  if (filesMax === 1) return rmSync(path)
  for (let i = filesMax - 2; i >= 1; i--) {
    if (statSync(`${path}.${i}`, { throwIfNoEntry: false }) !== undefined)
      renameSync(`${path}.${i}`, `${path}.${i + 1}`)
  }
  renameSync(path, `${path}.1`)
}
