import type { KeyListing } from '../admin.ts'
import type { Store } from '../store/open-store.ts'
import { query } from '../store/query.ts'
import { toKey, toKeyLimits } from './key-rows.ts'

/** Newest last; account: an id or a name, left out for the keys of all. */
export function listKeys(account: string | undefined, store: Store): KeyListing[] {
  const all = query
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .selectAll('api_key')
    .select('account.name as account_name')
    .orderBy('api_key.created_at')
    .orderBy('api_key.id')
  const wanted =
    account === undefined
      ? all
      : all.where((eb) => eb.or([eb('account.id', '=', account), eb('account.name', '=', account)]))
  return store.durable
    .all(wanted)
    .map((row) => ({ key: toKey(row), account: row.account_name, limits: toKeyLimits(row) }))
}
