import type { DocumentsReader, PageRow } from '../documents/documents-reader.ts'
import { differingBits } from '../text/differing-bits.ts'
import type { VerticalWriters } from './vertical-writers.ts'
import { toIndexDocs, type ThingDocs } from './to-index-docs.ts'

const BATCH = 64
const NOTHING: ThingDocs = { web: [], images: [], videos: [] }
/** A page that names another as the one to show is left out only if that one is nearly the same. Bits of 64. */
const SAME_BITS_MAX = 6

export type CommitRule = { everyMs: number; everyPages: number }

/**
 * Brings an index to the state of the documents: changed rows in the order of their change, analysed, applied, committed with the
 * number of the last one. It can be stopped anywhere: it goes on from the committed number, and doing a page twice changes nothing.
 */
export class IndexLoop {
  readonly #documents: DocumentsReader
  readonly #writers: VerticalWriters
  readonly #rule: CommitRule
  #read: number
  #committed: number
  #uncommitted = 0
  #committedAt = 0

  constructor(documents: DocumentsReader, writers: VerticalWriters, rule: CommitRule) {
    this.#documents = documents
    this.#writers = writers
    this.#rule = rule
    this.#read = writers.committedWatermark()
    this.#committed = this.#read
  }

  get committed(): number {
    return this.#committed
  }

  /** One batch. `committed`: readers see more from here on; `idle`: all is read and committed. `nowMs` never goes back. */
  step(nowMs: number): 'worked' | 'committed' | 'idle' {
    const rows = this.#documents.changedAfter(this.#read, BATCH)
    if (rows.length > 0) this.#apply(rows)
    if (this.#uncommitted === 0) return 'idle'
    const due = nowMs - this.#committedAt >= this.#rule.everyMs
    if (!due && this.#uncommitted < this.#rule.everyPages) return rows.length > 0 ? 'worked' : 'idle'
    this.commit(nowMs)
    return 'committed'
  }

  #apply(rows: PageRow[]): void {
    this.#writers.apply(rows.map((row) => ({ id: row.id, docs: this.#docsOf(row) })))
    this.#read = rows.at(-1)?.seq ?? this.#read
    this.#uncommitted += rows.length
  }

  #docsOf(row: PageRow): ThingDocs {
    if (row.gone || this.#isCopy(row)) return NOTHING
    const body = this.#documents.findBody(row.id)
    if (body === undefined) return NOTHING
    return toIndexDocs(row, {
      body,
      anchors: this.#documents.anchorsOf(row.id),
      images: this.#documents.thingsOf('images', row.id),
      videos: this.#documents.thingsOf('videos', row.id),
    })
  }

  #isCopy(row: PageRow): boolean {
    if (row.canonicalUrl === undefined) return false
    const shown = this.#documents.findByUrl(row.canonicalUrl)
    // Two pages that name each other: the one with the smaller id stays.
    if (shown === undefined || shown.gone || (shown.canonicalUrl === row.url && row.id < shown.id)) return false
    return differingBits(shown.simhash, row.simhash) <= SAME_BITS_MAX
  }

  commit(nowMs: number, all = false): void {
    this.#writers.commit(this.#read, all)
    this.#committed = this.#read
    this.#uncommitted = 0
    this.#committedAt = nowMs
  }

  /** True while something is applied that no reader sees. */
  get pending(): boolean {
    return this.#uncommitted > 0
  }
}
