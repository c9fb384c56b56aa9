/**
 * The operator's door of the accounts part: what the command line (later the console) does with accounts, keys and
 * packages. Every outcome is data; a refusal carries a sentence for people that says what to do next.
 */
import type { Key, Scope } from './accounts.ts'

export type IdentityStatus = 'unverified' | 'submitted' | 'needs_input' | 'verified' | 'rejected'
export type IdentityMethod = 'machine' | 'operator' | 'webhook'

export type Account = {
  id: string
  name: string
  package: string
  identity: IdentityStatus
  identityMethod: IdentityMethod | undefined
  suspendedAt: number | undefined
  createdAt: number
}

/** Calls a minute, calls a day, calls at once; undefined: no such limit. */
export type LimitSet = { minute: number | undefined; day: number | undefined; concurrent: number }
export type Package = { name: string; limits: Record<Scope, LimitSet> }

/** A key's own limits: each at most its package's; what is left out is the package's. */
export type OwnLimits = { minute?: number; day?: number; concurrent?: number }
export type KeyLimits = Partial<Record<Scope, OwnLimits>>

export type Refused<Reason extends string> = { kind: 'refused'; reason: Reason; message: string }

export type LocalOperator =
  | { kind: 'created'; account: Account; key: Key; secret: string }
  | { kind: 'present'; account: Account }

export type AccountWish = { name: string; package: string; by?: string }
export type AccountCreation =
  | { kind: 'created'; account: Account }
  | Refused<'name_invalid' | 'name_taken' | 'package_unknown'>
export type AccountChange = { kind: 'changed'; account: Account } | Refused<'account_unknown' | 'package_unknown'>

export type KeyWish = {
  /** Id or name; default: the local operator. */
  account?: string
  name: string
  /** Default: chat and search. */
  scopes?: readonly Scope[]
  /** Addresses and CIDR ranges, IPv4 or IPv6; default: from anywhere. */
  addresses?: readonly string[]
  limits?: KeyLimits
  outOfRangeSampling?: 'reject' | 'clamp'
  /** Epoch ms. */
  expiresAt?: number
  by?: string
}
type KeyRefusal =
  | 'account_unknown'
  | 'account_unverified'
  | 'account_suspended'
  | 'name_invalid'
  | 'scopes_invalid'
  | 'addresses_invalid'
  | 'limits_invalid'
  | 'expiry_invalid'
/** `secret` is told here once and kept nowhere. */
export type KeyCreation = { kind: 'created'; key: Key; secret: string } | Refused<KeyRefusal>
export type KeyRevocation = { kind: 'revoked'; key: Key } | Refused<'key_unknown'>
export type KeyRotation =
  | {
      kind: 'rotated'
      key: Key
      secret: string
      /** Epoch ms; the old secret works until then. */ overlapUntil: number
    }
  | Refused<'key_unknown' | 'key_ended' | 'account_unverified' | 'account_suspended' | 'overlap_invalid'>
export type KeyListing = { key: Key; account: string; limits: KeyLimits }

export type PackageWish = Package & { by?: string }
export type PackageChange =
  | { kind: 'created' | 'changed'; package: Package }
  | Refused<'name_invalid' | 'limits_invalid'>

export type AuditEntry = { seq: number; at: number; by: string; action: string; subject: string; detail: string }
/** broken: the first line whose hash does not follow from the lines before it. */
export type AuditCheck = { kind: 'whole'; entries: number } | { kind: 'broken'; seq: number }

/** `by` names who did it in the audit; default 'operator'. An account is named by its id or its name. */
export interface Admin {
  /** First start: account `local-operator` (verified by machine, package `operator`) and its first key, told once. */
  ensureLocalOperator(): Promise<LocalOperator>
  /** Verified at once, method operator. */
  createAccount(wish: AccountWish): Promise<AccountCreation>
  listAccounts(): Promise<Account[]>
  setAccountPackage(wish: { account: string; package: string; by?: string }): Promise<AccountChange>
  /** A suspended account's keys are refused at once, in every process. */
  setSuspended(wish: { account: string; suspended: boolean; by?: string }): Promise<AccountChange>
  createKey(wish: KeyWish): Promise<KeyCreation>
  /** Newest last; of one account, or of all. */
  listKeys(account?: string): Promise<KeyListing[]>
  /** At once, in every process; revoking twice is revoking once. */
  revokeKey(wish: { id: string; by?: string }): Promise<KeyRevocation>
  /** A new secret under the same id; the old one works for `overlapMs` more (default 24 hours, 0: ends now). */
  rotateKey(wish: { id: string; overlapMs?: number; by?: string }): Promise<KeyRotation>
  listPackages(): Promise<Package[]>
  /** Creates or replaces a package; running calls go on, the next one meets the new numbers. */
  setPackage(wish: PackageWish): Promise<PackageChange>
  listAudit(): Promise<AuditEntry[]>
  checkAudit(): Promise<AuditCheck>
}
