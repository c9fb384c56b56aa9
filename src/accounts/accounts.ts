/**
 * The door of the accounts part: who calls, may they, how much is left. `api` and `cli` know nothing else of it.
 * Types and the interface only; `open-accounts.ts` constructs it.
 */

export type Scope = 'chat' | 'search'

/** A key as the rest of the program sees it: never the secret. */
export type Key = {
  id: string
  accountId: string
  name: string
  scopes: Scope[]
  /** CIDR ranges or single addresses; empty: from anywhere. */
  addresses: string[]
  /** Epoch ms. */
  createdAt: number
  expiresAt: number | undefined
  lastUsedAt: number | undefined
  revokedAt: number | undefined
  /** First characters and last four of the secret, to recognise it by. */
  hint: string
  /** Undefined: as the installation says. */
  outOfRangeSampling: 'reject' | 'clamp' | undefined
}

export type KeyCheck =
  | { kind: 'valid'; key: Key }
  | { kind: 'rejected'; reason: 'malformed' | 'unknown' | 'revoked' | 'expired' | 'account_disabled' }

/** One counter as the headers tell it; absent where there is no such limit. resetS: whole seconds until it is full again. */
export type Counter = { limit: number; remaining: number; resetS: number }
export type Limits = { minute?: Counter; day?: Counter; concurrent: { limit: number; running: number } }

export type Admission =
  | { kind: 'admitted'; limits: Limits; ticket: Ticket }
  | { kind: 'refused'; reason: 'minute' | 'day' | 'concurrent'; retryAfterMs: number; limits: Limits }

/** A call that was let in. Exactly one of the two ends it; a second end does nothing. */
export type Ticket = {
  /** The call counts, and is written to the usage log. */
  settle(use: CallUse): void
  /** Our own failure before the first byte: the day's count is given back, and the call is written as refunded. */
  refund(use: CallUse): void
}

export type CallUse = {
  requestId: string
  model: string | undefined
  status: number
  /** What the caller named in `user`; at most 256 characters are kept. */
  user: string | undefined
  promptTokens: number
  completionTokens: number
  steps: number
  durationMs: number
  outcome: 'served' | 'cancelled' | 'failed'
}

export type KeyReport = {
  key: Key
  account: { id: string; name: string; package: string }
  limits: Record<Scope, Limits>
  usedToday: Record<Scope, number>
}

export interface Accounts {
  /** Shape, look-up by HMAC, state of key and account. Same cost and same answer for every kind of wrong key. */
  verifyKey(token: string): KeyCheck
  /** Is `address` (IPv4, IPv6, mapped) inside the key's list? */
  addressAllowed(key: Key, address: string): boolean
  /** Concurrency, minute, day, in this order, spending only when all let it in. */
  admit(key: Key, scope: Scope): Promise<Admission>
  /** The counters as they stand, spending nothing: for headers of answers that were not admitted. */
  limits(key: Key, scope: Scope): Limits
  report(key: Key): KeyReport
  /** Writes what waits in memory; then nothing may be called any more. */
  close(): Promise<void>
}
