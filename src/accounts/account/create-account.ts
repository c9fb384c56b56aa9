import type { Account, AccountCreation, AccountWish, IdentityMethod } from '../admin.ts'
import { checkName, NAME_RULE } from '../check-name.ts'
import type { Deps } from '../deps.ts'
import { findPackage, unknownPackage } from '../packages/package-rows.ts'
import { refuse } from '../refuse.ts'
import { query } from '../store/query.ts'
import type { AccountRow } from '../store/schema.ts'
import { findAccountRow, toAccount } from './account-rows.ts'

/** An account that an operator vouches for: verified at once, and the method says by whom. */
export function createAccount(wish: AccountWish, deps: Deps): AccountCreation {
  const name = checkName(wish.name)
  if (name === undefined || name.startsWith('acct_')) {
    return refuse('name_invalid', `The account's name cannot be used. ${NAME_RULE} It does not begin with acct_.`)
  }
  return deps.store.durable.transaction(() => {
    if (findAccountRow(deps.store.durable, name) !== undefined) {
      return refuse('name_taken', `There is an account "${name}" already. Choose another name.`)
    }
    if (findPackage(deps.store.durable, wish.package) === undefined) {
      return unknownPackage(deps.store.durable, wish.package)
    }
    return { kind: 'created', account: insertAccount({ ...wish, name }, 'operator', deps) }
  })
}

/** Inside a transaction that has seen that the name is free and the package is there. */
export function insertAccount(wish: AccountWish, method: IdentityMethod, deps: Deps): Account {
  const row: AccountRow = {
    id: `acct_${deps.randomText(16)}`,
    name: wish.name,
    package: wish.package,
    identity: 'verified',
    identity_method: method,
    suspended_at: null,
    created_at: deps.now(),
  }
  deps.store.durable.run(query.insertInto('account').values(row))
  const detail = { name: row.name, package: row.package, identity: row.identity, method }
  deps.record({ by: wish.by, action: 'account_created', subject: row.id, detail })
  return toAccount(row)
}
