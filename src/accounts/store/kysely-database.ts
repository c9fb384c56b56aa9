import type { SQLInputValue } from 'node:sqlite'
import type { SqliteDatabase } from 'kysely'
import type { Sqlite } from './sqlite.ts'

/** What Kysely's own SQLite dialect asks of a driver. Only the migrations run through it. */
export function kyselyDatabase(sqlite: Sqlite): SqliteDatabase {
  return {
    prepare(sql) {
      const statement = sqlite.db.prepare(sql)
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
        run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
        iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
      }
    },
    close() {},
  }
}
