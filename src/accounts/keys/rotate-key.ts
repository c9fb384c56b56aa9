import type { KeyRotation } from '../admin.ts'
import { checkHolder, findAccountRow, unknownAccount } from '../account/account-rows.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../refuse.ts'
import { query } from '../store/query.ts'
import { findKeyRow, toKey } from './key-rows.ts'
import { unknownKey } from './revoke-key.ts'
import { hintOf, makeToken, RANDOM_CHARACTERS } from './token.ts'

const DAY_MS = 86_400_000
const OVERLAP_MS_MAX = 90 * DAY_MS

/**
 * A new secret under the same id, so that usage, limits and lists go on. Secrets before it end after the overlap;
 * one that was to end earlier still does.
 */
export function rotateKey(wish: { id: string; overlapMs?: number; by?: string }, deps: Deps): KeyRotation {
  const overlapMs = wish.overlapMs ?? DAY_MS
  if (!(Number.isSafeInteger(overlapMs) && overlapMs >= 0 && overlapMs <= OVERLAP_MS_MAX)) {
    return refuse('overlap_invalid', 'The overlap is a time between 0 and 90 days.')
  }
  const { durable } = deps.store
  return durable.transaction(() => {
    const row = findKeyRow(durable, wish.id)
    if (row === undefined) return refuse('key_unknown', unknownKey(wish.id))
    const now = deps.now()
    if (row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= now)) {
      return refuse('key_ended', `The key "${row.name}" is revoked or expired. Create a new key instead.`)
    }
    const account = findAccountRow(durable, row.account_id)
    const held = account === undefined ? unknownAccount(row.account_id) : checkHolder(account)
    if (held !== undefined && held.reason !== 'account_unknown') return { ...held, reason: held.reason }
    return replaceSecret(row.id, { now, overlapUntil: now + overlapMs, by: wish.by }, deps)
  })
}

type Turn = { now: number; overlapUntil: number; by: string | undefined }

function replaceSecret(id: string, turn: Turn, deps: Deps): KeyRotation {
  const { now, overlapUntil } = turn
  const { durable } = deps.store
  durable.run(
    query
      .updateTable('api_key_secret')
      .set({ overlap_until: overlapUntil })
      .where('key_id', '=', id)
      .where((eb) => eb.or([eb('overlap_until', 'is', null), eb('overlap_until', '>', overlapUntil)])),
  )
  const secret = makeToken(deps.randomText(RANDOM_CHARACTERS))
  const hash = deps.hashKey(secret)
  durable.run(query.insertInto('api_key_secret').values({ hash, key_id: id, created_at: now, overlap_until: null }))
  const hint = hintOf(secret)
  const row = durable.get(query.updateTable('api_key').set({ hint }).where('id', '=', id).returningAll())
  if (row === undefined) throw new Error(`The key ${id} went away inside its own transaction`)
  deps.record({ by: turn.by, action: 'key_rotated', subject: id, detail: { hint, overlapUntil } })
  return { kind: 'rotated', key: toKey(row), secret, overlapUntil }
}
