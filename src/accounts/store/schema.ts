/**
 * The tables, as Kysely reads them. The portable subset of SQLite and PostgreSQL: text ids, epoch milliseconds,
 * integers for yes and no, text for lists. `migrations/` makes them.
 */
import type { IdentityMethod, IdentityStatus } from '../admin.ts'
import type { Scope } from '../accounts.ts'

/** Null: no such limit (package), or the package's (key). */
type LimitColumns<Concurrent> = {
  chat_minute: number | null
  chat_day: number | null
  chat_concurrent: Concurrent
  search_minute: number | null
  search_day: number | null
  search_concurrent: Concurrent
}
export type PackageRow = { name: string; created_at: number } & LimitColumns<number>
export type KeyLimitColumns = LimitColumns<number | null>

export type AccountRow = {
  id: string
  name: string
  package: string
  identity: IdentityStatus
  identity_method: IdentityMethod | null
  suspended_at: number | null
  created_at: number
}

export type KeyRow = {
  id: string
  account_id: string
  name: string
  /** Joined by a space. */
  scopes: string
  /** CIDR ranges joined by a space; empty: from anywhere. */
  addresses: string
  out_of_range_sampling: 'reject' | 'clamp' | null
  /** Of the newest secret. */
  hint: string
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
} & KeyLimitColumns

/** A key has one secret, and during the overlap of a rotation more. */
type SecretRow = { hash: string; key_id: string; created_at: number; overlap_until: number | null }

/** owner: an account's or a key's id. */
type DayCountRow = { owner: string; scope: Scope; day: string; used: number }

type UsageSums = {
  prompt_tokens: number
  completion_tokens: number
  steps: number
  duration_ms: number
}
export type UsageRow = {
  id: string
  at: number
  account_id: string
  key_id: string
  scope: Scope
  model: string | null
  request_id: string
  status: number
  end_user: string | null
  outcome: 'served' | 'cancelled' | 'failed'
  counted: number
} & UsageSums
/** hour: epoch ms of its beginning (UTC). model: '' where a call has none. */
export type UsageHourRow = {
  account_id: string
  key_id: string
  scope: Scope
  model: string
  hour: number
  calls: number
  failed: number
} & UsageSums

type AuditRow = {
  seq: number
  at: number
  by: string
  action: string
  subject: string
  detail: string
  hash: string
}

export type Schema = {
  account: AccountRow
  package: PackageRow
  api_key: KeyRow
  api_key_secret: SecretRow
  day_count: DayCountRow
  usage_call: UsageRow
  usage_hour: UsageHourRow
  audit: AuditRow
  mark: { name: string; value: string }
}
