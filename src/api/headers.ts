import type { Counter, Limits } from '../accounts/accounts.ts'

/** On every answer. The policy lets API answers load nothing; pages bring their own. */
export const COMMON_HEADERS: Record<string, string> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Only with a certificate that clients trust by themselves: with our own CA it would lock people out of their host. */
export const STRICT_TRANSPORT = { 'strict-transport-security': 'max-age=31536000' }

/** Headers by which a caller sees its limits: the minute's under the plain names, the day's with `-day`; whole seconds. */
export function limitHeaders(limits: Limits): Record<string, string> {
  return { ...counterHeaders(limits.minute, ''), ...counterHeaders(limits.day, '-day') }
}

function counterHeaders(counter: Counter | undefined, ending: string): Record<string, string> {
  if (counter === undefined) return {}
  return {
    [`x-ratelimit-limit-requests${ending}`]: String(counter.limit),
    [`x-ratelimit-remaining-requests${ending}`]: String(counter.remaining),
    [`x-ratelimit-reset-requests${ending}`]: String(Math.ceil(counter.resetS)),
  }
}

/** How long to wait, for clients that read whole seconds and for those that read milliseconds. */
export function retryHeaders(retryAfterMs: number): Record<string, string> {
  const ms = Math.max(1, Math.ceil(retryAfterMs))
  return { 'retry-after': String(Math.ceil(ms / 1000)), 'retry-after-ms': String(ms) }
}
