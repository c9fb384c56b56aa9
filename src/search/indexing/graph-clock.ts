import type { DocumentsReader } from '../documents/documents-reader.ts'

/** The links are looked at again when a tenth of the pages changed (and some at all), and never back to back. */
const CHANGED_SHARE = 0.1
const CHANGED_MIN = 10
const PAUSE_MS = 15_000

/** Says when the link graph is worth another look. */
export class GraphClock {
  readonly #documents: DocumentsReader
  #seenSeq: number
  #doneAt = -PAUSE_MS

  constructor(documents: DocumentsReader) {
    this.#documents = documents
    this.#seenSeq = documents.all("SELECT 1 FROM meta WHERE name = 'graph'").length > 0 ? documents.lastSeq() : 0
  }

  due(nowMs: number): boolean {
    const changed = this.#documents.lastSeq() - this.#seenSeq
    if (changed < CHANGED_MIN || nowMs - this.#doneAt < PAUSE_MS) return false
    const pages = Number(this.#documents.all('SELECT count(*) AS n FROM contents')[0]?.['n'] ?? 0)
    return changed >= pages * CHANGED_SHARE
  }

  /** What the look itself put into the outbox does not count. */
  done(nowMs: number): void {
    this.#doneAt = nowMs
    this.#seenSeq = this.#documents.lastSeq()
  }
}
