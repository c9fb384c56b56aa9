import type { Account, Refused } from '../admin.ts'
import { refuse } from '../refuse.ts'
import { query } from '../store/query.ts'
import type { AccountRow } from '../store/schema.ts'
import type { Sqlite } from '../store/sqlite.ts'

/** The account of whoever owns the machine; made at the first start. */
export const LOCAL_OPERATOR = 'local-operator'

/** named: an id or a name. Names never look like ids. */
export function findAccountRow(sqlite: Sqlite, named: string): AccountRow | undefined {
  return sqlite.get(
    query
      .selectFrom('account')
      .selectAll()
      .where((eb) => eb.or([eb('id', '=', named), eb('name', '=', named)])),
  )
}

export function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    package: row.package,
    identity: row.identity,
    identityMethod: row.identity_method ?? undefined,
    suspendedAt: row.suspended_at ?? undefined,
    createdAt: row.created_at,
  }
}

/** Why this account may hold no working key now; undefined: it may. */
export function checkHolder(row: AccountRow): Refused<'account_unverified' | 'account_suspended'> | undefined {
  if (row.suspended_at !== null) {
    return refuse('account_suspended', `The account "${row.name}" is suspended. Reinstate it first.`)
  }
  if (row.identity === 'verified') return undefined
  const state = `The identity of the account "${row.name}" is not verified yet (${row.identity.replace('_', ' ')}).`
  return refuse('account_unverified', `${state} Keys can be made once an operator or the verifier has confirmed it.`)
}

export function unknownAccount(named: string): Refused<'account_unknown'> {
  return refuse('account_unknown', `There is no account "${named}". The list of accounts shows their names and ids.`)
}
