import type { Key, Limits } from '../accounts/accounts.ts'

/** One request on its way through the API: who asks, from where, and what the log line will tell of it. */
export type Call = {
  readonly requestId: string
  readonly method: string
  /** What stands behind the question mark, as it was sent; empty where nothing does. */
  readonly query: string
  /** Path as in the route table; `unknown` where it is in none. */
  readonly route: string
  /** The client's address, after trusted proxies; `unix` for a unix socket without one. */
  readonly address: string
  /** Aborted when the client has gone or the server ends. */
  readonly signal: AbortSignal
  /** `clock.monotonicMs()` when the request line was read. */
  readonly startedMs: number
  key: Key | undefined
  /** The counters that the answer's headers tell; set by admission. */
  limits: Limits | undefined
  body: Buffer
  /** Values of the path's parameters, decoded. */
  parameters: Record<string, string | undefined>
  facts: CallFacts
}

/** For the log line and the metrics only. */
type CallFacts = {
  model?: string
  promptTokens?: number
  completionTokens?: number
  steps?: number
  firstTokenMs?: number
  /** A search that its deadline cut short. */
  partial?: boolean
  outcome?: 'served' | 'cancelled' | 'failed'
  /** Why it was refused or failed: a code of the error table, and more where the log may know more than the caller. */
  error?: string
  reason?: string
}
