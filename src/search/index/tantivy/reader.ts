import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { EMPTY_HITS, type IndexHits, type IndexQuery, type IndexReader, type IndexStats } from '../search-index.ts'
import type { Binding, Index, Schema, Searcher } from './binding.ts'
import { buildQuery } from './build-query.ts'
import { buildSchema, openIndex, WATERMARK } from './schema.ts'
import { SegmentKeys } from './segment-keys.ts'

/** Answers from the commit seen at the last `reload`. */
export class TantivyReader implements IndexReader {
  readonly #binding: Binding
  readonly #schema: Schema
  readonly #folder: string
  readonly #index: Index
  readonly #keys: SegmentKeys
  #searcher: Searcher

  constructor(binding: Binding, folder: string) {
    this.#binding = binding
    this.#folder = folder
    this.#schema = buildSchema(binding)
    this.#index = openIndex(binding, this.#schema, folder)
    this.#index.configReader('manual')
    this.#keys = new SegmentKeys(folder)
    this.#searcher = this.#keys.follow(() => this.#reloaded())
  }

  #reloaded(): Searcher {
    this.#index.reload()
    return this.#index.searcher()
  }

  reload(): void {
    this.#searcher = this.#keys.follow(() => this.#reloaded())
  }

  search(query: IndexQuery, limit: number): IndexHits {
    if (this.#searcher.numDocs === 0) return EMPTY_HITS
    const found = this.#searcher.search(buildQuery(this.#binding, this.#schema, query), limit, true)
    const keys = new Float64Array(found.hits.length)
    const scores = new Float32Array(found.hits.length)
    for (const [i, hit] of found.hits.entries()) {
      keys[i] = this.#keys.keyOf(this.#searcher, hit.docAddress)
      scores[i] = hit.score ?? 0
    }
    return { total: found.count ?? keys.length, keys, scores }
  }

  docFrequency(term: string): number {
    return this.#searcher.docFreq('all', term)
  }

  watermark(): number {
    return readWatermark(this.#binding, this.#schema, this.#searcher)
  }

  warm(): boolean {
    return this.#keys.warm(this.#searcher)
  }

  stats(): IndexStats {
    const marks = this.#searcher.numDocs === 0 ? 0 : 1
    return { docs: this.#searcher.numDocs - marks, segments: this.#searcher.numSegments, bytes: sizeOf(this.#folder) }
  }

  close(): void {
    this.#keys.clear()
  }
}

/** The watermark of the commit that `searcher` sees; 0 before the first. */
export function readWatermark(binding: Binding, schema: Schema, searcher: Searcher): number {
  const query = binding.Query.termQuery(schema, 'mark', WATERMARK, 'basic')
  const [hit] = searcher.search(query, 1, false).hits
  return hit === undefined ? 0 : Number(searcher.doc(hit.docAddress).getFirst('note'))
}

function sizeOf(folder: string): number {
  let bytes = 0
  for (const name of readdirSync(folder)) bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  return bytes
}
