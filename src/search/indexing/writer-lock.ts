import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** One process writes an index at a time. The lock is SQLite's on a file of its own: the system lets go of it when the process dies, however. */
export class WriterLock {
  readonly #path: string
  #file: DatabaseSync | undefined

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true })
    this.#path = join(folder, 'writer.lock')
  }

  /** Whether it is ours now. */
  take(): boolean {
    const file = new DatabaseSync(this.#path, { timeout: 0 })
    try {
      file.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
      this.#file = file
      return true
    } catch {
      file.close()
      return false
    }
  }

  release(): void {
    this.#file?.close()
    this.#file = undefined
  }
}
