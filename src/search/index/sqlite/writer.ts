import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { IndexBatch, IndexDoc, IndexWriter } from '../search-index.ts'
import { markOf, openFile } from './schema.ts'

/** Changes gather in one transaction until `commit`. */
export class SqliteWriter implements IndexWriter {
  readonly #file: DatabaseSync
  readonly #ownedBy: StatementSync
  readonly #removeWords: StatementSync
  readonly #removeThings: StatementSync
  readonly #addWords: StatementSync
  readonly #addThing: StatementSync
  readonly #mark: StatementSync
  #open = false

  constructor(folder: string) {
    this.#file = openFile(folder, false)
    this.#ownedBy = this.#file.prepare('SELECT key FROM things WHERE owner = ?')
    this.#removeWords = this.#file.prepare('DELETE FROM words WHERE rowid = ?')
    this.#removeThings = this.#file.prepare('DELETE FROM things WHERE owner = ?')
    this.#addWords = this.#file.prepare('INSERT INTO words (rowid, "all", title, marks) VALUES (?, ?, ?, ?)')
    this.#addThing = this.#file.prepare('INSERT INTO things (key, owner, time) VALUES (?, ?, ?)')
    this.#mark = this.#file.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES ('watermark', ?)")
    // A removal from a table without content leaves a "last row" beyond 2^53 behind, which is refused as a plain number.
    const writing = [this.#removeWords, this.#removeThings, this.#addThing, this.#addWords, this.#mark]
    for (const statement of writing) statement.setReadBigInts(true)
  }

  apply({ replaced, docs }: IndexBatch): void {
    this.#begin()
    for (const owner of replaced) {
      for (const { key } of this.#ownedBy.all(owner)) this.#removeWords.run(key ?? null)
      this.#removeThings.run(owner)
    }
    for (const doc of docs) {
      this.#addThing.run(doc.key, doc.owner, Math.max(0, doc.time))
      this.#addWords.run(doc.key, doc.all, doc.title, marksOf(doc))
    }
  }

  #begin(): void {
    if (this.#open) return
    this.#file.exec('BEGIN IMMEDIATE')
    this.#open = true
  }

  commit(watermark: number): void {
    this.#begin()
    this.#mark.run(watermark)
    this.#file.exec('COMMIT')
    this.#open = false
  }

  committedWatermark(): number {
    const row = this.#file.prepare("SELECT value FROM meta WHERE name = 'watermark'").get()
    return Number(row?.['value'] ?? 0)
  }

  close(): void {
    if (this.#open) this.#file.exec('ROLLBACK')
    this.#file.close()
  }
}

function marksOf(doc: IndexDoc): string {
  const marks = [markOf.thing, ...doc.sites.map((site) => markOf.site(site))]
  if (doc.language !== '') marks.push(markOf.language(doc.language))
  if (doc.fileType !== '') marks.push(markOf.fileType(doc.fileType))
  if (doc.adult) marks.push(markOf.adult)
  return marks.join(' ')
}
