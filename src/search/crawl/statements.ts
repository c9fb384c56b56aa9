import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'

export type Row = Record<string, SQLOutputValue>
type Value = string | number | null | Uint8Array

/** A database whose statements are prepared once. */
export class Statements {
  readonly #db: DatabaseSync
  readonly #known = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  run(sql: string, ...values: Value[]): ReturnType<StatementSync['run']> {
    return this.#prepare(sql).run(...values)
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    return this.#prepare(sql).get(...values)
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.#prepare(sql).all(...values)
  }

  /** All of `work` or nothing. */
  inTransaction<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#db.exec('COMMIT')
      return result
    } catch (error) {
      this.#db.exec('ROLLBACK')
      throw error
    }
  }

  close(): void {
    this.#known.clear()
    this.#db.close()
  }

  #prepare(sql: string): StatementSync {
    const known = this.#known.get(sql) ?? this.#db.prepare(sql)
    this.#known.set(sql, known)
    return known
  }
}
