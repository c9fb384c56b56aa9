import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../lib/replace-file.ts'
import { VERTICALS, type Vertical } from './search-index.ts'

/** The generation that answers: its number, and what wrote it. */
export type Generation = { number: number; format: string }

/** The folder `index/`: one folder for each generation, and the file `current` that names the one that answers. */
export class Generations {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true })
  }

  /** Undefined before the first, or if the file cannot be read: then a generation is built from the documents. */
  current(): Generation | undefined {
    try {
      const read = JSON.parse(readFileSync(join(this.#folder, 'current'), 'utf8')) as Generation
      return Number.isInteger(read.number) && typeof read.format === 'string' ? read : undefined
    } catch {
      return undefined
    }
  }

  /** A number no folder has. Whatever an unfinished build left is taken away. */
  begin(): number {
    const current = this.current()?.number ?? 0
    for (const number of this.#numbers()) if (number > current) this.remove(number)
    return current + 1
  }

  /** From here on, also after a crash, this generation answers. */
  promote(generation: Generation): void {
    replaceFile(join(this.#folder, 'current'), JSON.stringify(generation), 0o600)
  }

  /** Takes every generation away but the one given and those above it. */
  removeBefore(number: number): void {
    for (const each of this.#numbers()) if (each < number) this.remove(each)
  }

  remove(number: number): void {
    rmSync(join(this.#folder, String(number)), { recursive: true, force: true })
  }

  folder(number: number, vertical: Vertical): string {
    return join(this.#folder, String(number), vertical)
  }

  folders(number: number): [Vertical, string][] {
    return VERTICALS.map((vertical) => [vertical, this.folder(number, vertical)])
  }

  #numbers(): number[] {
    return readdirSync(this.#folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  }
}
