import type { Key, Scope } from '../accounts.ts'
import type { KeyLimits, OwnLimits } from '../admin.ts'
import { query } from '../store/query.ts'
import type { AccountRow, KeyLimitColumns, KeyRow } from '../store/schema.ts'
import type { Prepared, Sqlite } from '../store/sqlite.ts'

/** A secret's key with what decides whether it works. */
export type FoundKey = KeyRow & { overlap_until: number | null } & Pick<AccountRow, 'identity' | 'suspended_at'>

export function prepareFindByHash(sqlite: Sqlite): Prepared<FoundKey> {
  return sqlite.prepare(
    query
      .selectFrom('api_key_secret as secret')
      .innerJoin('api_key', 'api_key.id', 'secret.key_id')
      .innerJoin('account', 'account.id', 'api_key.account_id')
      .selectAll('api_key')
      .select(['secret.overlap_until', 'account.identity', 'account.suspended_at'])
      .where('secret.hash', '=', 'hash'),
  )
}

export function findKeyRow(sqlite: Sqlite, id: string): KeyRow | undefined {
  return sqlite.get(query.selectFrom('api_key').selectAll().where('id', '=', id))
}

export function toKey(row: KeyRow): Key {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    scopes: row.scopes.split(' ') as Scope[],
    addresses: row.addresses === '' ? [] : row.addresses.split(' '),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    hint: row.hint,
    outOfRangeSampling: row.out_of_range_sampling ?? undefined,
  }
}

export function toLimitColumns(limits: KeyLimits): KeyLimitColumns {
  return {
    chat_minute: limits.chat?.minute ?? null,
    chat_day: limits.chat?.day ?? null,
    chat_concurrent: limits.chat?.concurrent ?? null,
    search_minute: limits.search?.minute ?? null,
    search_day: limits.search?.day ?? null,
    search_concurrent: limits.search?.concurrent ?? null,
  }
}

export function toKeyLimits(row: KeyLimitColumns): KeyLimits {
  const chat = own(row.chat_minute, row.chat_day, row.chat_concurrent)
  const search = own(row.search_minute, row.search_day, row.search_concurrent)
  return { ...(chat && { chat }), ...(search && { search }) }
}

function own(minute: number | null, day: number | null, concurrent: number | null): OwnLimits | undefined {
  if (minute === null && day === null && concurrent === null) return undefined
  return {
    ...(minute !== null && { minute }),
    ...(day !== null && { day }),
    ...(concurrent !== null && { concurrent }),
  }
}
