import { mkdirSync } from 'node:fs'
import type { IndexBatch, IndexDoc, IndexWriter } from '../search-index.ts'
import type { Binding, Document, Index, Writer } from './binding.ts'
import { readWatermark } from './reader.ts'
import { removeStrayDeletes } from './stray-deletes.ts'
import { ADULT, buildSchema, openIndex, THING, WATERMARK } from './schema.ts'

/** Memory that Tantivy fills before it writes a segment by itself. */
const HEAP_BYTES = 96_000_000

/** One thread writes: its own work is a third of an indexing step, and the other core answers queries. */
export class TantivyWriter implements IndexWriter {
  readonly #binding: Binding
  readonly #index: Index
  readonly #writer: Writer

  constructor(binding: Binding, folder: string) {
    mkdirSync(folder, { recursive: true })
    removeStrayDeletes(folder)
    this.#binding = binding
    this.#index = openIndex(binding, buildSchema(binding), folder)
    this.#writer = this.#index.writer(HEAP_BYTES, 1)
  }

  apply({ replaced, docs }: IndexBatch): void {
    for (const owner of replaced) this.#writer.deleteDocumentsByTerm('owner', owner)
    for (const doc of docs) this.#writer.addDocument(this.#render(doc))
  }

  #render(doc: IndexDoc): Document {
    const document = new this.#binding.Document()
    document.addUnsigned('key', doc.key)
    document.addUnsigned('owner', doc.owner)
    document.addUnsigned('time', Math.max(0, doc.time))
    document.addText('all', doc.all)
    document.addText('title', doc.title)
    for (const site of doc.sites) document.addText('sites', site)
    document.addText('language', doc.language)
    document.addText('type', doc.fileType)
    document.addText('mark', THING)
    if (doc.adult) document.addText('mark', ADULT)
    return document
  }

  commit(watermark: number): void {
    this.#writer.deleteDocumentsByTerm('mark', WATERMARK)
    const document = new this.#binding.Document()
    document.addText('note', String(watermark))
    document.addText('mark', WATERMARK)
    this.#writer.addDocument(document)
    this.#writer.commit()
  }

  committedWatermark(): number {
    this.#index.reload()
    return readWatermark(this.#binding, buildSchema(this.#binding), this.#index.searcher())
  }

  close(): void {
    this.#writer.waitMergingThreads()
  }
}
