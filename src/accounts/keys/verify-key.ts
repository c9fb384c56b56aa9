import type { KeyCheck } from '../accounts.ts'
import type { FoundKey } from './key-rows.ts'
import { toKey } from './key-rows.ts'
import { isToken } from './token.ts'

type Deps = {
  now(): number
  hashKey(token: string): string
  findByHash(hash: string): FoundKey | undefined
  /** The key was used just now. */
  touch(keyId: string, lastUsedAt: number | undefined): void
}

/** Longer than any token: what is hashed of a wrong one is bounded, and a right one is never cut. */
const HASHED_CHARACTERS_MAX = 64

/**
 * Whether a token is a key that works. Read from the store every time, so a revocation in another process holds at once.
 * A malformed token is hashed and looked up too: every wrong key costs the same, and the answer's time tells nothing.
 */
export function verifyKey(token: string, deps: Deps): KeyCheck {
  const found = deps.findByHash(deps.hashKey(token.slice(0, HASHED_CHARACTERS_MAX)))
  if (!isToken(token)) return { kind: 'rejected', reason: 'malformed' }
  if (found === undefined) return { kind: 'rejected', reason: 'unknown' }
  if (found.revoked_at !== null) return { kind: 'rejected', reason: 'revoked' }
  const now = deps.now()
  if (isOver(found.expires_at, now) || isOver(found.overlap_until, now)) return { kind: 'rejected', reason: 'expired' }
  const disabled = found.identity !== 'verified' || found.suspended_at !== null
  if (disabled) return { kind: 'rejected', reason: 'account_disabled' }
  const key = toKey(found)
  deps.touch(key.id, key.lastUsedAt)
  return { kind: 'valid', key }
}

function isOver(end: number | null, now: number): boolean {
  return end !== null && end <= now
}
