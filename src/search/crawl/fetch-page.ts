import type { Answer, FetchOutcome, GuardedFetch } from '../../lib/net/guarded-fetch.ts'
import { redirectTarget } from '../../lib/net/guarded-fetch.ts'
import { findHeader, type Header } from '../../lib/net/headers.ts'
import type { KnownPage } from './site-memory.ts'

/** Our product token in robots.txt and X-Robots-Tag. */
export const ROBOTS_TOKEN = 'unmask'

/** Who we are, and where to complain. */
export function userAgent(contact: string): string {
  return contact === '' ? 'Unmask/0.1' : `Unmask/0.1 (+${contact})`
}

const ACCEPT = 'text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,application/xml;q=0.8,*/*;q=0.1'

/** What came of asking for one URL, as the crawl must read it. */
export type Visit =
  | { kind: 'page'; answer: Answer }
  /** 304: what we have is still what there is. */
  | { kind: 'unchanged'; answer: Answer }
  | { kind: 'redirect'; answer: Answer; target: string | undefined }
  /** 404 or 410: it is to be forgotten. */
  | { kind: 'gone'; answer: Answer }
  /** 429 or 503: the host is to be left alone. */
  | { kind: 'busy'; answer: Answer; retryAfter: string | undefined }
  /** Another 5xx, or no answer: worth another try. */
  | { kind: 'failed'; answer?: Answer; reason: string }
  /** Not to be tried again. */
  | { kind: 'refused'; answer?: Answer; reason: string }

/** Asks once for a URL, conditionally where we know it already. Redirects are told, not followed. */
export async function fetchPage(
  net: GuardedFetch,
  ask: { url: string; contact: string; known: KnownPage | undefined; signal: AbortSignal },
): Promise<Visit> {
  const { known } = ask
  const headers: Header[] = [
    ['User-Agent', userAgent(ask.contact)],
    ['Accept', ACCEPT],
  ]
  // Only where the bytes we would keep using are still there.
  if (known?.place !== undefined && known.etag !== undefined) headers.push(['If-None-Match', known.etag])
  if (known?.place !== undefined && known.lastModified !== undefined)
    headers.push(['If-Modified-Since', known.lastModified])
  return readOutcome(await net.once(ask.url, headers, ask.signal))
}

function readOutcome(outcome: FetchOutcome): Visit {
  if (outcome.kind === 'refused') return { kind: 'refused', reason: outcome.reason }
  if (outcome.kind === 'failed') {
    const final = outcome.reason === 'bomb' || outcome.reason === 'too_long' || outcome.reason === 'encoding'
    return { kind: final ? 'refused' : 'failed', reason: outcome.reason }
  }
  const { status } = outcome
  if (status === 304) return { kind: 'unchanged', answer: outcome }
  if (status >= 300 && status < 400) return { kind: 'redirect', answer: outcome, target: redirectTarget(outcome) }
  if (status >= 200 && status < 300) return { kind: 'page', answer: outcome }
  if (status === 404 || status === 410) return { kind: 'gone', answer: outcome }
  if (status === 429 || status === 503) {
    return { kind: 'busy', answer: outcome, retryAfter: findHeader(outcome.headers, 'retry-after') }
  }
  return { kind: status >= 500 ? 'failed' : 'refused', answer: outcome, reason: `status ${status}` }
}
