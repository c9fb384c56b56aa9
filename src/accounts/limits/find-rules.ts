import type { Scope } from '../accounts.ts'
import { query } from '../store/query.ts'
import type { KeyLimitColumns, PackageRow } from '../store/schema.ts'
import type { Sqlite } from '../store/sqlite.ts'

/** Whose limits a call must keep: the account's (from its package) and the key's own. */
export type Rule = { owner: string } & Record<'minute' | 'day' | 'concurrent', number | undefined>
type Holder = { id: string; name: string; package: string }
export type Rules = { account: Holder; rules: Rule[] }

type Row = Omit<PackageRow, 'created_at'> & {
  [column in keyof KeyLimitColumns as `own_${column}`]: KeyLimitColumns[column]
} & { account_id: string; account_name: string }

/** Read anew for every call, so that a changed package or limit holds from the next call on, in every process. */
export function prepareFindRules(sqlite: Sqlite): (keyId: string, scope: Scope) => Rules {
  const find = sqlite.prepare<Row>(
    query
      .selectFrom('api_key')
      .innerJoin('account', 'account.id', 'api_key.account_id')
      .innerJoin('package', 'package.name', 'account.package')
      .selectAll('package')
      .select(['account.id as account_id', 'account.name as account_name'])
      .select(['api_key.chat_minute as own_chat_minute', 'api_key.chat_day as own_chat_day'])
      .select(['api_key.chat_concurrent as own_chat_concurrent', 'api_key.search_minute as own_search_minute'])
      .select(['api_key.search_day as own_search_day', 'api_key.search_concurrent as own_search_concurrent'])
      .where('api_key.id', '=', 'id'),
  )
  return (keyId, scope) => {
    const row = find.get(keyId)
    if (row === undefined) throw new Error(`The key ${keyId} was verified, but it is not in the store`)
    const account = { id: row.account_id, name: row.account_name, package: row.name }
    return { account, rules: [packageRule(row, scope), keyRule(keyId, row, scope)] }
  }
}

function packageRule(row: Row, scope: Scope): Rule {
  return {
    owner: row.account_id,
    minute: row[`${scope}_minute`] ?? undefined,
    day: row[`${scope}_day`] ?? undefined,
    concurrent: row[`${scope}_concurrent`],
  }
}

function keyRule(keyId: string, row: Row, scope: Scope): Rule {
  return {
    owner: keyId,
    minute: row[`own_${scope}_minute`] ?? undefined,
    day: row[`own_${scope}_day`] ?? undefined,
    concurrent: row[`own_${scope}_concurrent`] ?? undefined,
  }
}
