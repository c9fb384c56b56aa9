import type { Agent } from 'undici'
import type { Clock } from '../clock.ts'
import { ACCEPT_ENCODING, decodeContent } from './decode-content.ts'
import { findExemption, GuardError, type GuardRules, type RefusalReason, placesOf, refuseUrl } from './guard.ts'
import { createGuardedAgent } from './guarded-agent.ts'
import { findHeader, type Header } from './headers.ts'
import { isPublicAddress } from './address-guard.ts'

export type FetchLimits = {
  /** Bytes of the body as they come over the wire; more is cut off. */
  wireBytesMax: number
  /** Bytes after decoding; more is a failure. */
  decodedBytesMax: number
  connectMs: number
  /** From asking to the end of the response's header. */
  headersMs: number
  totalMs: number
  redirectsMax: number
}

const FETCH_LIMITS: FetchLimits = {
  wireBytesMax: 10_485_760,
  decodedBytesMax: 33_554_432,
  connectMs: 10_000,
  headersMs: 10_000,
  totalMs: 30_000,
  redirectsMax: 5,
}

export type FetchRules = GuardRules & { limits?: Partial<FetchLimits>; clock: Clock }

/** One request and its response, as they went over the wire (header names as sent, body before `decoded`). */
export type Answer = {
  kind: 'answered'
  url: string
  requestHeaders: Header[]
  status: number
  statusText: string
  headers: Header[]
  /** Still content-encoded. */
  body: Uint8Array
  decoded: Uint8Array
  truncated?: 'length'
  /** The server stood on a private network (never true of an exempt origin). */
  private: boolean
  tookMs: number
}

type FailureReason =
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'protocol'
  | 'aborted'
  | 'redirects'
  | 'bomb'
  | 'too_long'
  | 'encoding'

export type FetchOutcome =
  | Answer
  | { kind: 'refused'; url: string; reason: RefusalReason }
  | { kind: 'failed'; url: string; reason: FailureReason; detail: string }

export type GuardedFetch = {
  /** One GET; a redirect is an answer like any other. */
  once(url: string, headers: Header[], signal: AbortSignal): Promise<FetchOutcome>
  /** A GET that follows redirects, each hop checked anew; a redirect too many is `redirects`. */
  follow(url: string, headers: Header[], signal: AbortSignal): Promise<FetchOutcome>
  close(): Promise<void>
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * The only way this program asks the web. Cookies are never sent or kept, credentials never sent, and no request
 * reaches an address that `rules` do not allow, whichever way a page led there.
 */
export function createGuardedFetch(rules: FetchRules): GuardedFetch {
  const limits = { ...FETCH_LIMITS, ...rules.limits }
  const agent = createGuardedAgent(rules, limits.connectMs)
  const once: GuardedFetch['once'] = (url, headers, signal) => fetchOnce({ url, headers, signal, rules, limits, agent })
  return {
    once,
    async follow(url, headers, signal) {
      let next = url
      for (let hop = 0; hop <= limits.redirectsMax; hop++) {
        const outcome = await once(next, headers, signal)
        const target = outcome.kind === 'answered' ? redirectTarget(outcome) : undefined
        if (target === undefined) return outcome
        next = target
      }
      return { kind: 'failed', url, reason: 'redirects', detail: `more than ${limits.redirectsMax} redirects` }
    },
    close: () => agent.destroy(),
  }
}

/** Where a response sends us, or undefined if it does not (or to something that is no URL). */
export function redirectTarget(answer: Answer): string | undefined {
  const location = REDIRECTS.has(answer.status) ? findHeader(answer.headers, 'location') : undefined
  return location === undefined ? undefined : (URL.parse(location, answer.url)?.href ?? undefined)
}

type Ask = {
  url: string
  headers: Header[]
  signal: AbortSignal
  rules: FetchRules
  limits: FetchLimits
  agent: Agent
}

async function fetchOnce(ask: Ask): Promise<FetchOutcome> {
  const url = URL.parse(ask.url)
  const refusal = url === null ? 'scheme' : refuseUrl(url, ask.rules)
  if (url === null || refusal !== undefined) return { kind: 'refused', url: ask.url, reason: refusal ?? 'scheme' }
  const timer = new AbortController()
  const total = setTimeout(() => timer.abort(new TimeLimit('the response took too long')), ask.limits.totalMs)
  const begin = setTimeout(() => timer.abort(new TimeLimit('no response began in time')), ask.limits.headersMs)
  try {
    const startedAt = ask.rules.clock.monotonicMs()
    const wire = await readResponse(ask, url, AbortSignal.any([ask.signal, timer.signal]), () => clearTimeout(begin))
    const tookMs = ask.rules.clock.monotonicMs() - startedAt
    const encoding = findHeader(wire.headers, 'content-encoding') ?? ''
    const decoded = await decodeContent(wire.body, encoding, ask.limits.decodedBytesMax)
    if (decoded.kind === 'failed') return { kind: 'failed', url: ask.url, reason: decoded.reason, detail: encoding }
    const isPrivate = await standsPrivate(url, ask.rules)
    return { kind: 'answered', url: ask.url, ...wire, decoded: decoded.bytes, private: isPrivate, tookMs }
  } catch (error) {
    return explain(ask, error)
  } finally {
    clearTimeout(total)
    clearTimeout(begin)
  }
}

type Wire = Pick<Answer, 'requestHeaders' | 'status' | 'statusText' | 'headers' | 'body' | 'truncated'>

async function readResponse(ask: Ask, url: URL, signal: AbortSignal, begun: () => void): Promise<Wire> {
  const requestHeaders: Header[] = [['Host', url.host], ...ask.headers, ['Accept-Encoding', ACCEPT_ENCODING]]
  const response = await ask.agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'GET',
    headers: requestHeaders.flat(),
    signal,
    // Our own timers, which tests can shorten, are the limits.
    headersTimeout: 0,
    bodyTimeout: 0,
    responseHeaders: 'raw',
  })
  begun()
  // With `raw` undici gives a flat list of names and values; its types do not say so.
  const headers = pairs(response.headers as unknown as (string | Buffer)[])
  const { bytes, cut } = await readBody(response.body, ask.limits.wireBytesMax)
  return {
    requestHeaders,
    status: response.statusCode,
    statusText: response.statusText,
    headers,
    body: bytes,
    ...(cut ? { truncated: 'length' } : {}),
  }
}

async function readBody(
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<{ bytes: Uint8Array; cut: boolean }> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    // Leaving the loop ends the connection.
    if (length > bytesMax) return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), cut: true }
  }
  return { bytes: Buffer.concat(chunks), cut: false }
}

function pairs(flat: readonly (string | Buffer)[]): Header[] {
  const found: Header[] = []
  for (let i = 0; i + 1 < flat.length; i += 2) found.push([latin1(flat[i]), latin1(flat[i + 1])])
  return found
}

function latin1(text: string | Buffer | undefined): string {
  return typeof text === 'string' ? text : (text?.toString('latin1') ?? '')
}

async function standsPrivate(url: URL, rules: GuardRules): Promise<boolean> {
  if (!rules.allowPrivate || findExemption(url.origin, rules) !== undefined) return false
  const places = await placesOf(url, rules).catch(() => [])
  return places.some((place) => !isPublicAddress(place.address))
}

class TimeLimit extends Error {}

function explain(ask: Ask, error: unknown): FetchOutcome {
  const { url } = ask
  if (error instanceof GuardError) return { kind: 'refused', url, reason: error.reason }
  const detail = error instanceof Error ? error.message : String(error)
  if (error instanceof TimeLimit) return { kind: 'failed', url, reason: 'timeout', detail }
  if (ask.signal.aborted) return { kind: 'failed', url, reason: 'aborted', detail: 'the crawl was ended' }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return { kind: 'failed', url, reason: reasonOf(code), detail: code === '' ? detail : `${code}: ${detail}` }
}

function reasonOf(code: string): FailureReason {
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'timeout'
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_|UNABLE_|ERR_OSSL)/.test(code)) return 'tls'
  return /^E[A-Z]+$/.test(code) ? 'connect' : 'protocol'
}
