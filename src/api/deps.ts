import type { Accounts } from '../accounts/accounts.ts'
import type { Engine } from '../engine/messages.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Pictures } from '../search/pictures.ts'
import type { Search } from '../search/search.ts'
import type { Manual } from './manual/open-manual.ts'
import type { Metrics } from './metrics.ts'
import type { ApiOptions } from './options.ts'
import type { Route } from './routes.ts'
import type { Tls } from './tls/tls.ts'

/** What `cli/` hands in. */
export type ServerParts = {
  options: ApiOptions
  tls: Tls
  engine: Engine
  accounts: Accounts
  search: Search
  pictures: Pictures
  /** Signs the addresses of pictures that results name; the same for all processes of one data folder. */
  linkKey: Uint8Array
  /** Folder of the manual's Markdown. */
  docsFolder: string
  log: Log
  clock: Clock
  /** Of the program, for the OpenAPI document. */
  version: string
}

/** What handlers may use. */
export type Deps = ServerParts & {
  metrics: Metrics
  routes: readonly Route[]
  manual: Manual
  /** Where clients reach this server, without a path: `https://127.0.0.1:8443`. Known once it listens. */
  baseUrl(): string
  /** May people search, and see stored copies and pictures, without a key? */
  keyless: boolean
  closing(): boolean
}
