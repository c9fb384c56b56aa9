import type { Key, Scope, Ticket } from '../accounts/accounts.ts'
import type { Call } from './call.ts'
import type { Deps } from './deps.ts'
import { ApiError, type ErrorCode } from './errors.ts'
import { retryHeaders } from './headers.ts'

/** The key of a call on a route that needs one; the guard has put it there. */
export function keyOf(call: Call): Key {
  if (call.key === undefined) throw new ApiError('key_rejected', {}, 'no key')
  return call.key
}

export function requireScope(key: Key, scope: Scope): void {
  if (key.scopes.includes(scope)) return
  const has = key.scopes.length === 0 ? 'none' : key.scopes.join(', ')
  throw new ApiError('scope_missing', { text: `This API key lacks the scope ${scope} (it has: ${has}).` })
}

export function requireAddress(key: Key, address: string, deps: Pick<Deps, 'accounts'>): void {
  if (!deps.accounts.addressAllowed(key, address)) throw new ApiError('address_refused')
}

const SPENT = { minute: 'minute_spent', day: 'day_spent', concurrent: 'too_many_at_once' } as const satisfies Record<
  string,
  ErrorCode
>

/** Spends one call, or throws 429 with the time to wait. The counters go into the answer's headers either way. */
export async function admit(call: Call, scope: Scope, deps: Pick<Deps, 'accounts'>): Promise<Ticket> {
  const admission = await deps.accounts.admit(keyOf(call), scope)
  call.limits = admission.limits
  if (admission.kind === 'admitted') return admission.ticket
  const { reason, retryAfterMs, limits } = admission
  // Some clients sleep as long as they are told: a quota that ends at midnight must not put them to sleep for hours.
  const stop = reason === 'day' ? { 'x-should-retry': 'false' } : {}
  const text = {
    minute: `Too many requests: ${limits.minute?.limit ?? 0} a minute are allowed. Try again in ${seconds(retryAfterMs)} s.`,
    day: `The ${limits.day?.limit ?? 0} calls of this day are used up. They begin anew in ${seconds(retryAfterMs)} s.`,
    concurrent: `Too many calls at once: ${limits.concurrent.limit} are allowed. Wait until one has ended.`,
  }[reason]
  throw new ApiError(SPENT[reason], { text, headers: { ...retryHeaders(retryAfterMs), ...stop } })
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000))
}
