import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Accounts, CallUse, Key } from '../../src/accounts/accounts.ts'
import type { Admin, KeyWish } from '../../src/accounts/admin.ts'
import type { AccountsParts } from '../../src/accounts/open-accounts.ts'
import { openAccounts } from '../../src/accounts/open-accounts.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'

/** A Wednesday noon, UTC. */
export const NOON = Date.UTC(2026, 6, 1, 12)

/** Time that a test turns by hand. */
export class TurnedClock implements Clock {
  #now: number
  constructor(now = NOON) {
    this.#now = now
  }
  now(): number {
    return this.#now
  }
  monotonicMs(): number {
    return this.#now - NOON
  }
  turn(ms: number): void {
    this.#now += ms
  }
}

export function accountsParts(folder: string, clock: Clock): AccountsParts {
  return { folder, clock, log: silentLog, zone: 'UTC', usageFlushMs: 100, usageBatchRows: 500, usageKeepDays: 90 }
}

export function newFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'unmask-accounts-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export type TestAccounts = { accounts: Accounts & Admin; clock: TurnedClock; folder: string }

/** Real accounts in a folder of their own, under a clock that stands. */
export async function openTestAccounts(
  context: TestContext,
  changed: Partial<AccountsParts> = {},
): Promise<TestAccounts> {
  const clock = new TurnedClock()
  const folder = changed.folder ?? newFolder(context)
  const accounts = await openAccounts({ ...accountsParts(folder, clock), ...changed })
  context.after(() => accounts.close())
  return { accounts, clock, folder }
}

/** A key of a new account `ann` with the package `free`, unless the wish says otherwise. */
export async function createTestKey(
  accounts: Admin,
  wish: Partial<KeyWish> & { package?: string } = {},
): Promise<{ key: Key; secret: string }> {
  const { package: packageName = 'free', ...rest } = wish
  const account = rest.account ?? 'ann'
  await accounts.createAccount({ name: account, package: packageName })
  const made = await accounts.createKey({ name: 'test', account, ...rest })
  if (made.kind === 'refused') throw new Error(made.message)
  return made
}

export const SERVED: CallUse = {
  requestId: 'req-1',
  model: 'Model',
  status: 200,
  user: undefined,
  promptTokens: 10,
  completionTokens: 20,
  steps: 5,
  durationMs: 100,
  outcome: 'served',
}
