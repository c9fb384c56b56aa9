import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Accounts } from '../accounts/accounts.ts'
import { AccountsError } from '../accounts/accounts-error.ts'
import type { Admin, Refused } from '../accounts/admin.ts'
import type { AccountsParts } from '../accounts/open-accounts.ts'
import { systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { UserError, type Call } from './command.ts'
import { openDataFolder } from './data-folder.ts'
import { writeFirstKey } from './first-key.ts'
import { openConfig } from './open-config.ts'

type Work = (admin: Accounts & Admin) => Promise<number>

/**
 * Opens the accounts of the data folder for one piece of work, beside a running server or without one. `mayBegin`: a
 * folder that does not exist yet is begun, with its local operator; otherwise that is told, since it is a slip mostly.
 */
export async function withAdmin(call: Call, { mayBegin }: { mayBegin: boolean }, work: Work): Promise<number> {
  process.umask(0o077)
  const { config, dataFolder } = openConfig(call)
  if (!mayBegin && !existsSync(join(dataFolder, 'version.json'))) {
    throw new UserError(
      `there is no data folder at ${dataFolder} yet. Start once with "unmask serve", or name it with --data DIR.`,
    )
  }
  if (openDataFolder(dataFolder, Date.now()).kind === 'outdated') {
    throw new UserError(
      `${dataFolder} is of an older version. Start "unmask serve" once: it makes a backup and brings it up to date.`,
    )
  }
  const accounts = await openOrTell({ ...config.accounts, folder: dataFolder, clock: systemClock, log: silentLog })
  try {
    const operator = mayBegin ? await accounts.ensureLocalOperator() : undefined
    if (operator?.kind === 'created') {
      call.terminal.tell(`The local operator's first key is in ${writeFirstKey(dataFolder, operator.secret)}`)
    }
    return await work(accounts)
  } finally {
    await accounts.close()
  }
}

/** As `openAccounts`, but what an operator can mend is a sentence without a stack. */
export async function openOrTell(parts: AccountsParts): Promise<Accounts & Admin> {
  const { openAccounts } = await import('../accounts/open-accounts.ts')
  try {
    return await openAccounts(parts)
  } catch (error) {
    throw error instanceof AccountsError ? new UserError(error.message) : error
  }
}

/** The outcome without its refusal, which becomes a sentence and ends the command. */
export function accepted<Outcome extends { kind: string }>(
  outcome: Outcome | Refused<string>,
): Exclude<Outcome, { kind: 'refused' }> {
  if (outcome.kind === 'refused' && 'message' in outcome) throw new UserError(outcome.message)
  return outcome as Exclude<Outcome, { kind: 'refused' }>
}
