import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { KEY_MAX, type IndexHits, type IndexQuery, type IndexReader, type IndexStats } from '../search-index.ts'
import { buildMatch } from './build-query.ts'
import { openFile } from './schema.ts'

const RANGE = 'AND things.time BETWEEN ? AND ?'

/** SQLite looks at the newest commit by itself, so `reload` has nothing to do. */
export class SqliteReader implements IndexReader {
  readonly #folder: string
  readonly #file: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(folder: string) {
    this.#folder = folder
    this.#file = openFile(folder, true)
  }

  reload(): void {}

  search(query: IndexQuery, limit: number): IndexHits {
    const { from, to } = query.filter
    const ranged = from !== undefined || to !== undefined
    const values = ranged ? [buildMatch(query), from ?? 0, to ?? KEY_MAX] : [buildMatch(query)]
    const join = ranged ? 'JOIN things ON things.key = words.rowid' : ''
    const where = `FROM words ${join} WHERE words MATCH ? ${ranged ? RANGE : ''}`
    const rank = `bm25(words, 1.0, ${query.titleWeight.toFixed(3)}, 0.0)`
    const list = this.#prepare(`SELECT words.rowid AS key, -${rank} AS score ${where} ORDER BY score DESC LIMIT ?`)
    const found = list.all(...values, limit)
    const keys = Float64Array.from(found, (row) => Number(row['key']))
    const scores = Float32Array.from(found, (row) => Number(row['score']))
    const total =
      found.length < limit ? found.length : Number(this.#prepare(`SELECT count(*) AS n ${where}`).get(...values)?.['n'])
    return { total, keys, scores }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#file.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
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
