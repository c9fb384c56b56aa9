import type { LocalOperator } from '../admin.ts'
import type { Deps } from '../deps.ts'
import { createKeyWithin } from '../keys/create-key.ts'
import { findAccountRow, LOCAL_OPERATOR, toAccount } from './account-rows.ts'
import { insertAccount } from './create-account.ts'

/** The first start makes the local operator's account and its first key, both or neither; every later one finds it. */
export function ensureLocalOperator(deps: Deps): LocalOperator {
  return deps.store.durable.transaction(() => {
    const row = findAccountRow(deps.store.durable, LOCAL_OPERATOR)
    if (row !== undefined) return { kind: 'present', account: toAccount(row) }
    const account = insertAccount({ name: LOCAL_OPERATOR, package: 'operator', by: 'machine' }, 'machine', deps)
    const first = createKeyWithin({ account: account.id, name: 'first key', by: 'machine' }, deps)
    if (first.kind === 'refused') throw new Error(first.message)
    return { kind: 'created', account, key: first.key, secret: first.secret }
  })
}
