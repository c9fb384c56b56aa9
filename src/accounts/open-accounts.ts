import type { Static } from 'typebox'
import type { Clock } from '../lib/clock.ts'
import { randomBase62 } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { Accounts, Scope } from './accounts.ts'
import { AccountsError } from './accounts-error.ts'
import type { Admin } from './admin.ts'
import { appendAudit } from './audit/append-audit.ts'
import { createAdmin } from './create-admin.ts'
import type { Deps } from './deps.ts'
import { addressAllowed } from './keys/address-allowed.ts'
import { hashKey } from './keys/hash-key.ts'
import { prepareFindByHash } from './keys/key-rows.ts'
import { verifyKey } from './keys/verify-key.ts'
import type { Day } from './limits/day.ts'
import { createCalendar } from './limits/day.ts'
import { openDayCounts } from './limits/day-counts.ts'
import { prepareFindRules } from './limits/find-rules.ts'
import { Gate } from './limits/gate.ts'
import type { accountsOptions } from './options.ts'
import { checkPepper, hasKeys } from './store/check-pepper.ts'
import { openStore } from './store/open-store.ts'
import { loadPepper } from './store/pepper.ts'
import { toUsageRow } from './usage/to-usage-row.ts'
import { openUsageLog } from './usage/open-usage-log.ts'

/** folder: the data folder; `accounts.db` and `pepper` are in it, made where they are not there. */
export type AccountsParts = Static<typeof accountsOptions> & { folder: string; clock: Clock; log: Log }

/**
 * Opens the accounts of a data folder. Several processes may have the same folder open.
 * Throws AccountsError with a sentence for the operator where the folder, the pepper or the zone cannot be used.
 */
export async function openAccounts(parts: AccountsParts): Promise<Accounts & Admin> {
  const calendar = openCalendar(parts.zone)
  const store = await openStore(parts.folder)
  try {
    const pepper = await loadPepper(parts.folder, !hasKeys(store.durable))
    checkPepper(store.durable, pepper)
    const now = (): number => parts.clock.now()
    const deps: Deps = {
      store,
      now,
      randomText: randomBase62,
      hashKey: (token) => hashKey(pepper, token),
      record: (note) => appendAudit(store.durable, pepper, now(), note),
    }
    return { ...createAdmin(deps, pepper), ...createDoor(deps, calendar, parts) }
  } catch (error) {
    store.close()
    throw error
  }
}

function createDoor(deps: Deps, calendar: (now: number) => Day, parts: AccountsParts): Accounts {
  const { store, now } = deps
  const findByHash = prepareFindByHash(store.counters)
  const findRules = prepareFindRules(store.counters)
  const days = openDayCounts(store.counters)
  const usage = openUsageLog(store.counters, parts)
  const gate = new Gate({ clock: parts.clock, calendar, days, log: parts.log })
  const verifyDeps = {
    now,
    hashKey: deps.hashKey,
    findByHash: (hash: string) => findByHash.get(hash),
    touch: usage.touch,
  }
  return {
    verifyKey: (token) => verifyKey(token, verifyDeps),
    addressAllowed: (key, address) => addressAllowed(key.addresses, address),
    admit: async (key, scope) => {
      const { rules } = findRules(key.id, scope)
      const call = { accountId: key.accountId, keyId: key.id, scope }
      return gate.admit(rules, scope, (use, counted) =>
        usage.add(toUsageRow({ ...call, id: `use_${deps.randomText(16)}`, at: now(), counted }, use)),
      )
    },
    limits: (key, scope) => gate.limits(findRules(key.id, scope).rules, scope),
    report: (key) => {
      const chat = findRules(key.id, 'chat')
      const { date } = calendar(now())
      const usedToday = (scope: Scope): number => days.used(key.id, scope, date)
      return {
        key,
        account: chat.account,
        limits: {
          chat: gate.limits(chat.rules, 'chat'),
          search: gate.limits(findRules(key.id, 'search').rules, 'search'),
        },
        usedToday: { chat: usedToday('chat'), search: usedToday('search') },
      }
    },
    close: async () => {
      usage.close()
      store.close()
    },
  }
}

function openCalendar(zone: string): (now: number) => Day {
  try {
    return createCalendar(zone)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new AccountsError(`"${zone}" is no time zone. Name one of the IANA list, such as UTC or Europe/Paris.`)
  }
}
