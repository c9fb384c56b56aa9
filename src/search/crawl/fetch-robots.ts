import type { GuardedFetch } from '../../lib/net/guarded-fetch.ts'
import type { Answer } from '../../lib/net/guarded-fetch.ts'
import { userAgent } from './fetch-page.ts'
import type { StoredRobots } from './site-memory.ts'
import { ALLOW_ALL, DISALLOW_ALL, parseRobots, ROBOTS_BYTES_MAX, type RobotsRules } from './robots.ts'

/** RFC 9309 §2.4: not used longer than a day. */
const KEPT_MS = 86_400_000
/** An unreachable robots.txt is asked for again sooner: it closes the whole site. */
const UNREACHABLE_KEPT_MS = 600_000

export type FetchedRobots = { robots: StoredRobots; answer?: Answer; tookMs: number }

/**
 * Asks for an origin's robots.txt (RFC 9309 §2.3.1): 2xx is read, redirects are followed (five hops, each checked by the
 * address guard), 4xx but 429 allows all, 5xx, 429 and no answer at all disallow all.
 */
export async function fetchRobots(
  net: GuardedFetch,
  ask: { origin: string; contact: string; now: number; signal: AbortSignal },
): Promise<FetchedRobots> {
  const outcome = await net.follow(`${ask.origin}/robots.txt`, [['User-Agent', userAgent(ask.contact)]], ask.signal)
  const expiresAt = ask.now + KEPT_MS
  if (outcome.kind !== 'answered') {
    // §2.3.1.2: too many redirects count as "unavailable", which allows.
    const allow = outcome.kind === 'failed' && outcome.reason === 'redirects'
    if (allow) return { robots: { verdict: 'allow', body: undefined, expiresAt }, tookMs: 0 }
    return { robots: { verdict: 'disallow', body: undefined, expiresAt: ask.now + UNREACHABLE_KEPT_MS }, tookMs: 0 }
  }
  const { status, tookMs } = outcome
  if (status >= 200 && status < 300) {
    const body = outcome.decoded.slice(0, ROBOTS_BYTES_MAX)
    return { robots: { verdict: 'rules', body, expiresAt }, answer: outcome, tookMs }
  }
  if (status >= 500 || status === 429) {
    const until = ask.now + UNREACHABLE_KEPT_MS
    return { robots: { verdict: 'disallow', body: undefined, expiresAt: until }, answer: outcome, tookMs }
  }
  return { robots: { verdict: 'allow', body: undefined, expiresAt }, answer: outcome, tookMs }
}

export function rulesOf(robots: StoredRobots, token: string): RobotsRules {
  if (robots.verdict === 'rules') return parseRobots(robots.body ?? new Uint8Array(), token)
  return robots.verdict === 'allow' ? ALLOW_ALL : DISALLOW_ALL
}
