import type { AuditNote } from './audit/append-audit.ts'
import type { Store } from './store/open-store.ts'

/** What the verbs that change accounts, keys and packages need of the world. */
export type Deps = {
  store: Store
  /** Epoch ms. */
  now(): number
  /** Base62 characters nobody can guess. */
  randomText(length: number): string
  hashKey(token: string): string
  /** Inside the transaction of the change it tells of. */
  record(note: AuditNote): void
}
