import type { CreateTableBuilder, Kysely } from 'kysely'
import type { Schema } from '../schema.ts'

const LIMITS = [
  'chat_minute',
  'chat_day',
  'chat_concurrent',
  'search_minute',
  'search_day',
  'search_concurrent',
] as const
const SUMS = ['prompt_tokens', 'completion_tokens', 'steps', 'duration_ms'] as const

/** Accounts, packages, keys, day counts, usage and audit; the packages `free` and `operator`. */
export async function createAccounts(db: Kysely<Schema>): Promise<void> {
  await createOwners(db)
  await createKeys(db)
  await createUsage(db)
  await createRecords(db)
  const seed = { created_at: 0, chat_day: null, chat_minute: null, search_day: null, search_minute: null }
  const free = { chat_minute: 20, chat_day: 1000, search_minute: 20, search_day: 1000 }
  await db
    .insertInto('package')
    .values([
      { ...seed, ...free, name: 'free', chat_concurrent: 2, search_concurrent: 2 },
      { ...seed, name: 'operator', chat_concurrent: 64, search_concurrent: 64 },
    ])
    .execute()
}

async function createOwners(db: Kysely<Schema>): Promise<void> {
  await numbers(
    db.schema.createTable('package').addColumn('name', 'text', (c) => c.primaryKey()),
    LIMITS,
  )
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('account')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('package', 'text', (c) => c.notNull().references('package.name'))
    .addColumn('identity', 'text', (c) => c.notNull())
    .addColumn('identity_method', 'text')
    .addColumn('suspended_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
}

async function createKeys(db: Kysely<Schema>): Promise<void> {
  const key = db.schema
    .createTable('api_key')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull().references('account.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('addresses', 'text', (c) => c.notNull())
    .addColumn('out_of_range_sampling', 'text')
    .addColumn('hint', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
  await numbers(key, LIMITS).execute()
  await db.schema.createIndex('api_key_account').on('api_key').column('account_id').execute()
  await db.schema
    .createTable('api_key_secret')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('key_id', 'text', (c) => c.notNull().references('api_key.id'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('overlap_until', 'bigint')
    .execute()
  await db.schema.createIndex('api_key_secret_key').on('api_key_secret').column('key_id').execute()
}

async function createUsage(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('day_count')
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('used', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('day_count_key', ['owner', 'scope', 'day'])
    .execute()
  const call = db.schema
    .createTable('usage_call')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('key_id', 'text', (c) => c.notNull())
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('model', 'text')
    .addColumn('request_id', 'text', (c) => c.notNull())
    .addColumn('status', 'integer', (c) => c.notNull())
    .addColumn('end_user', 'text')
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('counted', 'integer', (c) => c.notNull())
  await numbers(call, SUMS).execute()
  await db.schema.createIndex('usage_call_at').on('usage_call').column('at').execute()
  const hour = db.schema
    .createTable('usage_hour')
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('key_id', 'text', (c) => c.notNull())
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('hour', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_hour_key', ['account_id', 'hour', 'key_id', 'scope', 'model'])
  await numbers(hour, ['calls', 'failed', ...SUMS]).execute()
}

async function createRecords(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('audit')
    .addColumn('seq', 'bigint', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('by', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('detail', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('mark')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute()
}

function numbers<Table extends string, Column extends string>(
  table: CreateTableBuilder<Table, string>,
  names: readonly Column[],
): CreateTableBuilder<Table, string> {
  return names.reduce((made, name) => made.addColumn(name, 'bigint'), table)
}
