import { createServer as createPlain, STATUS_CODES, type RequestListener, type Server } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { Socket } from 'node:net'
import { randomBase62 } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { ApiError, renderError, type ErrorCode } from './errors.ts'
import { COMMON_HEADERS } from './headers.ts'
import type { ApiOptions } from './options.ts'
import type { Tls } from './tls/tls.ts'

/** AEAD suites with forward secrecy only. The three TLS_* names must stay: a list without them turns TLS 1.3 off. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

type Timeouts = Pick<ApiOptions, 'headersTimeoutS' | 'requestTimeoutS'>

/** Node's server with our limits: half-sent requests end, and even bytes that are no HTTP get the error object. */
export function createListener(tls: Tls, timeouts: Timeouts, listener: RequestListener): Server {
  const limits = {
    headersTimeout: timeouts.headersTimeoutS * 1000,
    requestTimeout: Math.max(timeouts.requestTimeoutS, timeouts.headersTimeoutS) * 1000,
    connectionsCheckingInterval: Math.min(1000, timeouts.headersTimeoutS * 250),
    // Longer than the 60 s after which common proxies drop idle connections: they, not we, must close first.
    keepAliveTimeout: 75_000,
    maxHeaderSize: 16_384,
    noDelay: true,
    // Node's own answer has no error object; `guard.ts` asks for the header.
    requireHostHeader: false,
  }
  const material = tls.material
  const server =
    material === undefined
      ? createPlain(limits, listener)
      : createSecure(
          { ...limits, ...secureOptions(tls), handshakeTimeout: limits.headersTimeout, ALPNProtocols: ['http/1.1'] },
          listener,
        )
  // Node would answer 417 without an error object; an expectation may as well be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', listener)
  return server
}

/** For `setSecureContext` as well: a renewed certificate must not loosen the suites. */
export function secureOptions(tls: Tls): { cert: string; key: string; ciphers: string; minVersion: 'TLSv1.2' } {
  return { cert: tls.material?.cert ?? '', key: tls.material?.key ?? '', ciphers: CIPHERS, minVersion: 'TLSv1.2' }
}

const CODE_OF: Record<string, ErrorCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
}

/** To whom nothing can be said: what was written before a handshake would wait for it for ever, and hold the socket. */
const UNREACHABLE: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'ERR_TLS_HANDSHAKE_TIMEOUT'])

/** So long the answer has to arrive. Then the socket goes, whether or not the client has hung up. */
const LINGER_MS = 1000

/** Answers a request that Node could not read, where an answer is still possible. Either way the socket is soon gone. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket, log: Log): void {
  if (UNREACHABLE.has(error.code) || !socket.writable || hasBegunAnswer(socket)) {
    socket.destroy()
    return
  }
  const linger = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(linger))
  const failure = new ApiError(CODE_OF[error.code ?? ''] ?? 'malformed_http')
  const requestId = `req_${randomBase62(20)}`
  log.info('unreadable_request', { requestId, status: failure.status, error: failure.code, reason: error.code })
  const body = JSON.stringify(renderError(failure))
  const headers = {
    ...COMMON_HEADERS,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ''}\r\n${lines.join('')}\r\n${body}`)
}

/** Bytes in the middle of an answer would be read as a part of it. Node keeps the answer of a socket under this name. */
function hasBegunAnswer(socket: Socket): boolean {
  const answer: unknown = '_httpMessage' in socket ? socket._httpMessage : undefined
  return typeof answer === 'object' && answer !== null && 'headersSent' in answer && answer.headersSent === true
}
