import type { IncomingMessage } from 'node:http'
import { addressKey } from '../accounts/limits/address-key.ts'
import type { Call } from './call.ts'
import { isTrusted } from './client-address.ts'
import type { Deps } from './deps.ts'
import { ApiError } from './errors.ts'
import type { FloodGuard } from './flood-guard.ts'
import { retryHeaders } from './headers.ts'
import { requireAddress } from './permit.ts'
import { ELSEWHERE, methodsOf, type Route } from './routes.ts'

/**
 * The checks before a body is read, in the order of the contract: plain HTTP 403 → unknown path 404, method 405 →
 * key 401 → content type 415, size 413. (Then body 400, scope and address 403, limits 429: the handler's.)
 */
export function guard(
  call: Call,
  route: Route | undefined,
  request: IncomingMessage,
  deps: Deps,
  floods: FloodGuard,
): void {
  requireHost(request)
  requireHttps(request, deps)
  const known = requireRoute(route, request)
  if (deps.closing() && known.path !== '/healthz') throw new ApiError('closing')
  if (known.who === 'key') requireKey(call, request, deps)
  if (known.who === 'open') requireKeyOrOpen(call, request, deps)
  requireCalm(call, known, deps, floods)
  if (known.method === 'POST') requireJson(request, deps.options.bodyBytesMax)
  // Where there is nothing to look at first.
  else if (call.key !== undefined && known.searches !== true) requireAddress(call.key, call.address, deps)
}

/** RFC 9112, 3.2: HTTP/1.1 without a Host is malformed. */
function requireHost(request: IncomingMessage): void {
  if (request.httpVersion === '1.1' && request.headers.host === undefined) throw new ApiError('malformed_http')
}

/** In mode `proxy` the proxy tells how its client came. */
function requireHttps(request: IncomingMessage, deps: Deps): void {
  const told = request.headers['x-forwarded-proto']
  if (deps.tls.mode !== 'proxy' || told === undefined) return
  const peer = request.socket.remoteAddress ?? 'unix'
  if (isTrusted(peer, deps.options.trustedProxies) && told !== 'https') throw new ApiError('plain_http')
}

function requireRoute(route: Route | undefined, request: IncomingMessage): Route {
  const path = (request.url ?? '/').split('?')[0] ?? '/'
  const methods = methodsOf(path)
  // The router decodes and lets a parameter be empty; a path that is not in the table as it stands does not exist.
  if (route !== undefined && methods.length > 0) return route
  if (methods.length === 0) {
    const hint = ELSEWHERE[path]
    throw new ApiError('not_found', hint === undefined ? {} : { text: hint })
  }
  const text = `${request.method ?? 'This method'} is not allowed here; allowed: ${methods.join(', ')}.`
  throw new ApiError('method_not_allowed', { text, headers: { allow: methods.join(', ') } })
}

const BEARER = /^bearer +([\x21-\x7e]+) *$/i

function requireKey(call: Call, request: IncomingMessage, deps: Deps): void {
  const token = BEARER.exec(request.headers.authorization ?? '')?.[1]
  const headers = { 'www-authenticate': 'Bearer' }
  if (token === undefined) throw new ApiError('key_rejected', { headers }, 'missing')
  const check = deps.accounts.verifyKey(token)
  if (check.kind === 'rejected') throw new ApiError('key_rejected', { headers }, check.reason)
  call.key = check.key
}

/** A key that is given counts as everywhere; without one it depends on whom the operator lets in. */
function requireKeyOrOpen(call: Call, request: IncomingMessage, deps: Deps): void {
  if (request.headers.authorization !== undefined || !deps.keyless) requireKey(call, request, deps)
}

function requireCalm(call: Call, route: Route, deps: Deps, floods: FloodGuard): void {
  const strict = route.searches === true && call.key === undefined
  const caller = call.key?.id ?? addressKey(call.address)
  // All the ways to search without a key share one count.
  const { retryAfterMs } = strict
    ? floods.count(caller, 'keyless search', deps.options.keylessPerMinute)
    : floods.count(caller, route.path, route.perMinute)
  if (retryAfterMs > 0) throw new ApiError('address_flood', { headers: retryHeaders(retryAfterMs) })
}

const JSON_TYPE = /^application\/json *(; *charset=("?)utf-?8\2 *)?$/i

function requireJson(request: IncomingMessage, bytesMax: number): void {
  const type = request.headers['content-type']
  if (type === undefined || !JSON_TYPE.test(type.trim())) {
    const given = type === undefined ? 'missing' : JSON.stringify(type.slice(0, 80))
    throw new ApiError('media_type', { text: `Content-Type is ${given}; allowed: application/json (UTF-8).` })
  }
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new ApiError('media_type', { text: 'Content-Encoding is not supported: send the body as it is.' })
  }
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
}

export function tooLarge(bytesMax: number): ApiError {
  return new ApiError('body_too_large', { detail: `The body is larger than ${bytesMax} bytes.` })
}
