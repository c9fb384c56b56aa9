import { createHmac } from 'node:crypto'
import { AccountsError } from '../accounts-error.ts'
import { query } from './query.ts'
import type { Sqlite } from './sqlite.ts'

/** Are there keys that a new pepper would turn into wrong ones? */
export function hasKeys(sqlite: Sqlite): boolean {
  return sqlite.get(query.selectFrom('api_key_secret').select('key_id').limit(1)) !== undefined
}

/** A pepper that belongs to another data folder is told at the start, not by every key failing. */
export function checkPepper(sqlite: Sqlite, pepper: Buffer): void {
  const value = createHmac('sha256', pepper).update('mark\npepper').digest('base64url')
  const marked = sqlite.transaction(() => {
    const known = sqlite.get(query.selectFrom('mark').select('value').where('name', '=', 'pepper'))
    if (known !== undefined && (known.value === value || hasKeys(sqlite))) return known.value
    const row = { name: 'pepper', value }
    sqlite.run(
      query
        .insertInto('mark')
        .values(row)
        .onConflict((c) => c.column('name').doUpdateSet({ value })),
    )
    return value
  })
  if (marked === value) return
  throw new AccountsError(
    'The file pepper is not the one that accounts.db was made with, so no existing key could work. ' +
      'Restore both from the same backup.',
  )
}
