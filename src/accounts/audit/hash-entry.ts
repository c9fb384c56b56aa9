import { createHmac } from 'node:crypto'
import type { AuditEntry } from '../admin.ts'

/**
 * A line's hash covers the line and the hash before it, under the pepper: who can write the database, but has not the
 * pepper, cannot change, drop or insert a line unseen. (Cutting off the newest lines is not seen by a chain.)
 */
export function hashEntry(pepper: Buffer, hashBefore: string, entry: AuditEntry): string {
  const { seq, at, by, action, subject, detail } = entry
  const line = JSON.stringify([hashBefore, seq, at, by, action, subject, detail])
  return createHmac('sha256', pepper).update(`audit\n${line}`).digest('base64url')
}
