import { query } from '../store/query.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { hashEntry } from './hash-entry.ts'

/** What was done, to what, by whom. Never a secret: ids, names and numbers only. */
export type AuditNote = {
  by: string | undefined
  action:
    | 'account_created'
    | 'account_package_changed'
    | 'account_suspended'
    | 'account_reinstated'
    | 'key_created'
    | 'key_revoked'
    | 'key_rotated'
    | 'package_created'
    | 'package_changed'
  subject: string
  detail: Record<string, unknown>
}

/** Adds one line to the chain. Only inside a transaction, or two processes could continue the same line. */
export function appendAudit(sqlite: Sqlite, pepper: Buffer, at: number, note: AuditNote): void {
  const last = sqlite.get(query.selectFrom('audit').select(['seq', 'hash']).orderBy('seq', 'desc').limit(1))
  const entry = {
    seq: (last?.seq ?? 0) + 1,
    at,
    by: note.by ?? 'operator',
    action: note.action,
    subject: note.subject,
    detail: JSON.stringify(note.detail),
  }
  const hash = hashEntry(pepper, last?.hash ?? '', entry)
  sqlite.run(query.insertInto('audit').values({ ...entry, hash }))
}
