import type { IncomingHttpHeaders } from 'node:http'

const EXPOSED = [
  'x-request-id',
  'x-adjusted-params',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  ...['', '-day'].flatMap((end) => ['limit', 'remaining', 'reset'].map((of) => `x-ratelimit-${of}-requests${end}`)),
].join(', ')

/** Characters of an HTTP token (RFC 9110 section 5.6.2), separated by commas: what a browser may ask for. */
const HEADER_LIST = /^[\w!#$%&'*+.^`|~-]+( *, *[\w!#$%&'*+.^`|~-]+)*$/

/** Headers that let a page of a listed origin read the answer; none for others. */
export function corsHeaders(headers: IncomingHttpHeaders, origins: readonly string[]): Record<string, string> {
  if (origins.length === 0) return {}
  const origin = headers.origin
  if (origin === undefined || !origins.includes(origin)) return { vary: 'Origin' }
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
    'cross-origin-resource-policy': 'cross-origin',
  }
}

/** Is this the question a browser asks before a call from a listed origin? */
export function isPreflight(method: string, headers: IncomingHttpHeaders, origins: readonly string[]): boolean {
  const asked = headers['access-control-request-method']
  return method === 'OPTIONS' && asked !== undefined && origins.includes(headers.origin ?? '')
}

/** The answer to it. Keys travel in `Authorization`, never in cookies, so credentials are not allowed. */
export function preflightHeaders(headers: IncomingHttpHeaders, methods: readonly string[]): Record<string, string> {
  const asked = headers['access-control-request-headers']
  const listed = typeof asked === 'string' && asked.length < 2000 && HEADER_LIST.test(asked)
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': listed ? asked : 'authorization, content-type',
    'access-control-max-age': '600',
  }
}
