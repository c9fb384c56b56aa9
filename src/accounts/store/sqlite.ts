import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import type { Compilable } from 'kysely'

/** Another process holds the write lock for some milliseconds at most; a hang would rather be an error. */
const BUSY_MS = 5_000
const STATEMENTS_MAX = 200

/** A query written once and run often: `values` take the places of the values it was written with, in order. */
export type Prepared<Row> = {
  get(...values: SQLInputValue[]): Row | undefined
  run(...values: SQLInputValue[]): number
}

/**
 * One connection. Queries run in the tick that asks for them, whole transactions too: so two connections of one process
 * can never wait for each other, and nothing of this process happens between the first and the last statement.
 */
export class Sqlite {
  readonly db: DatabaseSync
  #statements = new Map<string, StatementSync>()

  constructor(path: string) {
    this.db = new DatabaseSync(path, { timeout: BUSY_MS, enableForeignKeyConstraints: true })
  }

  all<Row>(query: Compilable<Row>): Row[] {
    const { sql, parameters } = query.compile()
    return this.#statement(sql).all(...parameters.map(toSqlValue)) as Row[]
  }

  get<Row>(query: Compilable<Row>): Row | undefined {
    const { sql, parameters } = query.compile()
    return this.#statement(sql).get(...parameters.map(toSqlValue)) as Row | undefined
  }

  /** Returns how many rows changed. */
  run(query: Compilable<unknown>): number {
    const { sql, parameters } = query.compile()
    return Number(this.#statement(sql).run(...parameters.map(toSqlValue)).changes)
  }

  prepare<Row>(query: Compilable<Row>): Prepared<Row> {
    const statement = this.db.prepare(query.compile().sql)
    return {
      get: (...values) => statement.get(...values) as Row | undefined,
      run: (...values) => Number(statement.run(...values).changes),
    }
  }

  /** All of `work` or nothing of it. The write lock is taken at the beginning, so what it reads stays true. */
  transaction<T>(work: () => T): T {
    this.db.exec('begin immediate')
    try {
      const result = work()
      this.db.exec('commit')
      return result
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('rollback')
      throw error
    }
  }

  close(): void {
    this.#statements.clear()
    if (this.db.isOpen) this.db.close()
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    if (this.#statements.size >= STATEMENTS_MAX) this.#statements.clear()
    const statement = this.db.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

function toSqlValue(value: unknown): SQLOutputValue {
  if (value === null || typeof value === 'number' || typeof value === 'string') return value
  throw new TypeError(`A query got a ${typeof value}; the tables hold text, numbers and null only`)
}
