import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../lib/replace-file.ts'

/** When the folder is too full, the files that were used longest ago go until this share is left. */
const KEPT_SHARE = 0.8
/** Written again at most so often: a time of use need not be exact. */
const TOUCH_MS = 3_600_000

/** Files of one folder, by name, never more than `bytesMax` together. May be deleted at any time. */
export class PictureCache {
  readonly #folder: string
  readonly #bytesMax: number
  #bytes: number

  constructor(folder: string, bytesMax: number) {
    this.#folder = folder
    this.#bytesMax = bytesMax
    mkdirSync(folder, { recursive: true })
    this.#bytes = this.#list().reduce((sum, { bytes }) => sum + bytes, 0)
  }

  get(name: string, now: number): Uint8Array | undefined {
    const path = this.#path(name)
    try {
      const bytes = readFileSync(path)
      if (now - statSync(path).mtimeMs > TOUCH_MS) utimesSync(path, now / 1000, now / 1000)
      return bytes
    } catch {
      // Not there, or another process has just removed it.
      return undefined
    }
  }

  put(name: string, bytes: Uint8Array): void {
    replaceFile(this.#path(name), bytes, 0o600)
    this.#bytes += bytes.length
    if (this.#bytes > this.#bytesMax) this.#makeRoom()
  }

  #makeRoom(): void {
    const files = this.#list().toSorted((a, b) => a.usedAt - b.usedAt)
    this.#bytes = files.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { path, bytes } of files) {
      if (this.#bytes <= this.#bytesMax * KEPT_SHARE) return
      rmSync(path, { force: true })
      this.#bytes -= bytes
    }
  }

  #list(): { path: string; bytes: number; usedAt: number }[] {
    return readdirSync(this.#folder).flatMap((file) => {
      const path = join(this.#folder, file)
      const found = statSync(path, { throwIfNoEntry: false })
      return found?.isFile() === true ? [{ path, bytes: found.size, usedAt: found.mtimeMs }] : []
    })
  }

  #path(name: string): string {
    return join(this.#folder, createHash('sha256').update(name).digest('hex').slice(0, 40))
  }
}
