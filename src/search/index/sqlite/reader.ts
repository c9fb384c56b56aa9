import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  KEY_MAX,
  type HelpingTerm,
  type IndexHits,
  type IndexQuery,
  type IndexReader,
  type IndexStats,
} from '../search-index.ts'
import { buildMatch, buildTermMatch } from './build-query.ts'
import { openFile } from './schema.ts'

/** A helping term that stands in more pages than this costs more than it tells. */
const HELPING_PAGES_MAX = 5_000
/** What is helped is sorted anew: always of as many, or a longer list would begin otherwise than a shorter one. */
const HELPED_HITS = 1_000

type Hits = Pick<IndexHits, 'keys' | 'scores'>

const RANGE = 'AND things.time BETWEEN ? AND ?'

/** SQLite looks at the newest commit by itself, so `reload` has nothing to do. */
export class SqliteReader implements IndexReader {
  readonly #folder: string
  readonly #file: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(folder: string) {
    this.#folder = folder
    this.#file = openFile(folder, true)
    this.#file.exec('CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, col)')
  }

  reload(): void {}

  search(query: IndexQuery, limit: number): IndexHits {
    const { from, to } = query.filter
    const ranged = from !== undefined || to !== undefined
    const values = ranged ? [buildMatch(query), from ?? 0, to ?? KEY_MAX] : [buildMatch(query)]
    const join = ranged ? 'JOIN things ON things.key = words.rowid' : ''
    const where = `FROM words ${join} WHERE words MATCH ? ${ranged ? RANGE : ''}`
    const rank = `bm25(words, 1.0, ${query.titleWeight.toFixed(3)}, 0.0)`
    const list = this.#prepare(`SELECT words.rowid AS key, -${rank} AS score ${where} ORDER BY score DESC, key LIMIT ?`)
    const helping = query.helping ?? []
    const found = list.all(...values, helping.length === 0 ? limit : Math.max(limit, HELPED_HITS))
    const keys = Float64Array.from(found, (row) => Number(row['key']))
    const scores = Float32Array.from(found, (row) => Number(row['score']))
    const total =
      found.length < limit ? found.length : Number(this.#prepare(`SELECT count(*) AS n ${where}`).get(...values)?.['n'])
    const helped = this.#help({ keys, scores }, helping)
    return { total, keys: helped.keys.subarray(0, limit), scores: helped.scores.subarray(0, limit) }
  }

  /** bm25() knows weights of columns only, so each helping term is asked for by itself. It is not looked for beyond `hits`. */
  #help(hits: Hits, helping: HelpingTerm[]): Hits {
    if (helping.length === 0) return hits
    const scoreOf = new Map([...hits.keys].map((key, i) => [key, hits.scores[i] ?? 0]))
    const ask = this.#prepare(
      'SELECT rowid AS key, -bm25(words, 1.0, 0.0, 0.0) AS score FROM words WHERE words MATCH ?',
    )
    for (const { term, weight } of helping) {
      if (this.docFrequency(term) > HELPING_PAGES_MAX) continue
      for (const row of ask.all(buildTermMatch(term))) {
        const score = scoreOf.get(Number(row['key']))
        if (score !== undefined) scoreOf.set(Number(row['key']), score + weight * Number(row['score']))
      }
    }
    const sorted = [...scoreOf].sort((a, b) => b[1] - a[1])
    return { keys: Float64Array.from(sorted, ([key]) => key), scores: Float32Array.from(sorted, ([, score]) => score) }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#file.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  docFrequency(term: string): number {
    const row = this.#prepare("SELECT doc FROM temp.vocabulary WHERE term = ? AND col = 'all'").get(term)
    return Number(row?.['doc'] ?? 0)
  }

  watermark(): number {
    return Number(this.#prepare("SELECT value FROM meta WHERE name = 'watermark'").get()?.['value'] ?? 0)
  }

  warm(): boolean {
    return false
  }

  stats(): IndexStats {
    const docs = Number(this.#prepare('SELECT count(*) AS n FROM things').get()?.['n'])
    const bytes = statSync(join(this.#folder, 'words.db')).size
    return { docs, segments: 1, bytes }
  }

  close(): void {
    this.#file.close()
  }
}
