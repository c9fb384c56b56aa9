import { listAccounts, setAccountPackage, setSuspended } from './account/change-account.ts'
import { createAccount } from './account/create-account.ts'
import { ensureLocalOperator } from './account/ensure-local-operator.ts'
import type { Admin } from './admin.ts'
import { checkAudit, listAudit } from './audit/check-audit.ts'
import type { Deps } from './deps.ts'
import { createKey } from './keys/create-key.ts'
import { listKeys } from './keys/list-keys.ts'
import { revokeKey } from './keys/revoke-key.ts'
import { rotateKey } from './keys/rotate-key.ts'
import { listPackages } from './packages/package-rows.ts'
import { setPackage } from './packages/set-package.ts'

/** The operator's door. Its promises are kept in the same tick today; a store behind a network will need them. */
export function createAdmin(deps: Deps, pepper: Buffer): Admin {
  const { store } = deps
  return {
    ensureLocalOperator: async () => ensureLocalOperator(deps),
    createAccount: async (wish) => createAccount(wish, deps),
    listAccounts: async () => listAccounts(store),
    setAccountPackage: async (wish) => setAccountPackage(wish, deps),
    setSuspended: async (wish) => setSuspended(wish, deps),
    createKey: async (wish) => createKey(wish, deps),
    listKeys: async (account) => listKeys(account, store),
    revokeKey: async (wish) => revokeKey(wish, deps),
    rotateKey: async (wish) => rotateKey(wish, deps),
    listPackages: async () => listPackages(store.durable),
    setPackage: async (wish) => setPackage(wish, deps),
    listAudit: async () => listAudit(store.durable),
    checkAudit: async () => checkAudit(store.durable, pepper),
  }
}
