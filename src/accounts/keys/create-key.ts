import type { Scope } from '../accounts.ts'
import type { KeyCreation, KeyWish, Refused } from '../admin.ts'
import { checkHolder, findAccountRow, LOCAL_OPERATOR, unknownAccount } from '../account/account-rows.ts'
import { checkName, NAME_RULE } from '../check-name.ts'
import type { Deps } from '../deps.ts'
import { checkKeyLimits } from '../packages/check-limits.ts'
import { findPackage } from '../packages/package-rows.ts'
import { refuse } from '../refuse.ts'
import { query } from '../store/query.ts'
import type { AccountRow, KeyRow } from '../store/schema.ts'
import { toKey, toLimitColumns } from './key-rows.ts'
import { parseAddresses } from './parse-addresses.ts'
import { hintOf, makeToken, RANDOM_CHARACTERS } from './token.ts'

const SCOPES: readonly Scope[] = ['chat', 'search']
const ADDRESSES_MAX = 100
type Parsed = Pick<KeyRow, 'name' | 'scopes' | 'addresses'>

/** Only for an account that is verified and not suspended. The secret is in the answer and nowhere else. */
export function createKey(wish: KeyWish, deps: Deps): KeyCreation {
  return deps.store.durable.transaction(() => createKeyWithin(wish, deps))
}

/** The same, as a part of a transaction that is open already. */
export function createKeyWithin(wish: KeyWish, deps: Deps): KeyCreation {
  const parsed = parseWish(wish, deps.now())
  if ('kind' in parsed) return parsed
  const { durable } = deps.store
  const named = wish.account ?? LOCAL_OPERATOR
  const account = findAccountRow(durable, named)
  if (account === undefined) return unknownAccount(named)
  const refused = checkHolder(account) ?? checkKeyLimits(wish.limits ?? {}, findPackage(durable, account.package))
  return refused ?? insertKey(wish, parsed, account, deps)
}

function insertKey(wish: KeyWish, parsed: Parsed, account: AccountRow, deps: Deps): KeyCreation {
  const secret = makeToken(deps.randomText(RANDOM_CHARACTERS))
  const row: KeyRow = {
    ...parsed,
    ...toLimitColumns(wish.limits ?? {}),
    id: `key_${deps.randomText(16)}`,
    account_id: account.id,
    out_of_range_sampling: wish.outOfRangeSampling ?? null,
    hint: hintOf(secret),
    created_at: deps.now(),
    expires_at: wish.expiresAt ?? null,
    revoked_at: null,
    last_used_at: null,
  }
  const hash = deps.hashKey(secret)
  const { durable } = deps.store
  durable.run(query.insertInto('api_key').values(row))
  durable.run(
    query
      .insertInto('api_key_secret')
      .values({ hash, key_id: row.id, created_at: row.created_at, overlap_until: null }),
  )
  const detail = { account: account.id, name: row.name, scopes: row.scopes, expiresAt: row.expires_at, hint: row.hint }
  deps.record({ by: wish.by, action: 'key_created', subject: row.id, detail })
  return { kind: 'created', key: toKey(row), secret }
}

type WishRefusal = Refused<'name_invalid' | 'scopes_invalid' | 'addresses_invalid' | 'expiry_invalid'>

function parseWish(wish: KeyWish, now: number): Parsed | WishRefusal {
  const name = checkName(wish.name)
  if (name === undefined) return refuse('name_invalid', `The key's name cannot be used. ${NAME_RULE}`)
  const wanted = wish.scopes ?? SCOPES
  const scopes = SCOPES.filter((scope) => wanted.includes(scope))
  if (scopes.length === 0 || wanted.some((scope) => !SCOPES.includes(scope))) {
    return refuse('scopes_invalid', `A key's scopes are one or more of: ${SCOPES.join(', ')}.`)
  }
  const addresses = parseAddresses(wish.addresses ?? [])
  if (addresses.kind === 'invalid') {
    const form = 'Write an address or a range, such as 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32.'
    return refuse('addresses_invalid', `"${addresses.address}" is no IP address and no CIDR range. ${form}`)
  }
  if (addresses.ranges.length > ADDRESSES_MAX) {
    return refuse('addresses_invalid', `A key takes at most ${ADDRESSES_MAX} addresses and ranges; join some of them.`)
  }
  const { expiresAt } = wish
  if (expiresAt !== undefined && !(Number.isSafeInteger(expiresAt) && expiresAt > now)) {
    return refuse('expiry_invalid', 'The expiry must be a moment in the future.')
  }
  return { name, scopes: scopes.join(' '), addresses: addresses.ranges.join(' ') }
}
