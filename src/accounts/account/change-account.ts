import type { Account, AccountChange } from '../admin.ts'
import type { Deps } from '../deps.ts'
import { findPackage, unknownPackage } from '../packages/package-rows.ts'
import { query } from '../store/query.ts'
import type { Store } from '../store/open-store.ts'
import { findAccountRow, toAccount, unknownAccount } from './account-rows.ts'

/** The next call of any of its keys meets the new package's limits; the day's count goes on. */
export function setAccountPackage(wish: { account: string; package: string; by?: string }, deps: Deps): AccountChange {
  const { durable } = deps.store
  return durable.transaction(() => {
    const row = findAccountRow(durable, wish.account)
    if (row === undefined) return unknownAccount(wish.account)
    if (findPackage(durable, wish.package) === undefined) return unknownPackage(durable, wish.package)
    durable.run(query.updateTable('account').set({ package: wish.package }).where('id', '=', row.id))
    const detail = { from: row.package, to: wish.package }
    deps.record({ by: wish.by, action: 'account_package_changed', subject: row.id, detail })
    return { kind: 'changed', account: toAccount({ ...row, package: wish.package }) }
  })
}

/** A suspended account's keys answer 401 at once, in every process; reinstated, they work as before. */
export function setSuspended(wish: { account: string; suspended: boolean; by?: string }, deps: Deps): AccountChange {
  const { durable } = deps.store
  return durable.transaction(() => {
    const row = findAccountRow(durable, wish.account)
    if (row === undefined) return unknownAccount(wish.account)
    if ((row.suspended_at !== null) === wish.suspended) return { kind: 'changed', account: toAccount(row) }
    const suspended_at = wish.suspended ? deps.now() : null
    durable.run(query.updateTable('account').set({ suspended_at }).where('id', '=', row.id))
    const action = wish.suspended ? 'account_suspended' : 'account_reinstated'
    deps.record({ by: wish.by, action, subject: row.id, detail: { name: row.name } })
    return { kind: 'changed', account: toAccount({ ...row, suspended_at }) }
  })
}

export function listAccounts(store: Store): Account[] {
  return store.durable.all(query.selectFrom('account').selectAll().orderBy('created_at').orderBy('id')).map(toAccount)
}
