import type { AuditCheck, AuditEntry } from '../admin.ts'
import { query } from '../store/query.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { hashEntry } from './hash-entry.ts'

export function listAudit(sqlite: Sqlite): AuditEntry[] {
  return sqlite
    .all(query.selectFrom('audit').selectAll().orderBy('seq'))
    .map(({ seq, at, by, action, subject, detail }) => ({ seq, at, by, action, subject, detail }))
}

/** Walks the chain from its first line. */
export function checkAudit(sqlite: Sqlite, pepper: Buffer): AuditCheck {
  const rows = sqlite.all(query.selectFrom('audit').selectAll().orderBy('seq'))
  let hash = ''
  for (const [i, row] of rows.entries()) {
    if (row.seq !== i + 1 || row.hash !== hashEntry(pepper, hash, row)) return { kind: 'broken', seq: row.seq }
    hash = row.hash
  }
  return { kind: 'whole', entries: rows.length }
}
