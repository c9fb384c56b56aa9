import type { KeyRevocation } from '../admin.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../refuse.ts'
import { query } from '../store/query.ts'
import { findKeyRow, toKey } from './key-rows.ts'

/** All secrets of the key end at once, in every process. Revoking twice is revoking once. */
export function revokeKey(wish: { id: string; by?: string }, deps: Deps): KeyRevocation {
  const { durable } = deps.store
  return durable.transaction(() => {
    const row = findKeyRow(durable, wish.id)
    if (row === undefined) return refuse('key_unknown', unknownKey(wish.id))
    if (row.revoked_at !== null) return { kind: 'revoked', key: toKey(row) }
    const revoked_at = deps.now()
    durable.run(query.updateTable('api_key').set({ revoked_at }).where('id', '=', row.id))
    const detail = { account: row.account_id, name: row.name, hint: row.hint }
    deps.record({ by: wish.by, action: 'key_revoked', subject: row.id, detail })
    return { kind: 'revoked', key: toKey({ ...row, revoked_at }) }
  })
}

export function unknownKey(id: string): string {
  return `There is no key with the id "${id}". The list of keys shows the ids.`
}
