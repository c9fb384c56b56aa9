import { Kysely, SqliteDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { Migration } from 'kysely/migration'
import { AccountsError } from '../accounts-error.ts'
import { kyselyDatabase } from './kysely-database.ts'
import { createAccounts } from './migrations/0001-accounts.ts'
import type { Schema } from './schema.ts'
import type { Sqlite } from './sqlite.ts'

/** In order; a released one is never edited. */
const MIGRATIONS: Record<string, Migration> = { '0001-accounts': { up: createAccounts } }

/**
 * Brings the tables up to this version, all steps or none. The write lock is held throughout: a second process that
 * starts on the same folder waits, then finds nothing left to do (Kysely takes no lock of its own on SQLite).
 */
export async function migrate(sqlite: Sqlite): Promise<void> {
  const db = new Kysely<Schema>({ dialect: new SqliteDialect({ database: kyselyDatabase(sqlite) }) })
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(MIGRATIONS) } })
  sqlite.db.exec('begin immediate')
  const { error } = await migrator.migrateToLatest()
  if (error === undefined) return sqlite.db.exec('commit')
  if (sqlite.db.isTransaction) sqlite.db.exec('rollback')
  const newer = error instanceof Error && /previously executed migration .* is missing/.test(error.message)
  if (!newer) throw error
  throw new AccountsError('accounts.db was written by a newer Unmask. Start that version, or restore an older backup.')
}
