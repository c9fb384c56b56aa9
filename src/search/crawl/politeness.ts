/** When a host may be asked next. Pure: the caller keeps the times and the counts. */

/** A site that asks for more gets this; a day between pages would mean never. */
const CRAWL_DELAY_MAX_MS = 30_000
/** A slow answer says the host is busy: it rests twice as long as it worked. */
const RESPONSE_FACTOR = 2
const BACK_OFF_FIRST_MS = 5000
const BACK_OFF_MAX_MS = 3_600_000
/** After a 429 or 503 without Retry-After. */
const BUSY_FIRST_MS = 60_000

export type Manners = {
  /** The operator's; 0 only for the server's own pages and in tests. */
  delayMs: number
  crawlDelayMs?: number
}

/** Milliseconds to leave between the end of a request to a host and the next one. */
export function delayAfter(responseMs: number, manners: Manners): number {
  const asked = Math.min(manners.crawlDelayMs ?? 0, CRAWL_DELAY_MAX_MS)
  // Without a delay of our own (own pages, tests) the host's slowness is no reason to wait either.
  const slow = manners.delayMs === 0 ? 0 : Math.min(responseMs * RESPONSE_FACTOR, CRAWL_DELAY_MAX_MS)
  return Math.max(manners.delayMs, asked, slow)
}

/** Milliseconds to leave a host alone after `failures` in a row (1 and up): 5 s, 10 s, 20 s … an hour. */
export function backOffAfter(failures: number, manners: Manners): number {
  const first = Math.min(BACK_OFF_FIRST_MS, manners.delayMs * (BACK_OFF_FIRST_MS / 1000))
  return Math.min(first * 2 ** (failures - 1), BACK_OFF_MAX_MS)
}

/** As `backOffAfter`, for a host that said 429 or 503: what it asks for, else a minute and more. */
export function busyAfter(failures: number, retryAfter: string | undefined, now: number): number {
  const asked = retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, now)
  return asked ?? Math.min(BUSY_FIRST_MS * 2 ** (failures - 1), BACK_OFF_MAX_MS)
}

/** Milliseconds of a Retry-After (RFC 9110 §10.2.3: seconds or a date); undefined where it is neither. Never negative. */
export function parseRetryAfter(value: string, now: number): number | undefined {
  const text = value.trim()
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
