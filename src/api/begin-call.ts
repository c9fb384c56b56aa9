import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Call } from './call.ts'
import { clientAddress } from './client-address.ts'
import { corsHeaders } from './cors.ts'
import type { Deps } from './deps.ts'
import { ApiError } from './errors.ts'
import { COMMON_HEADERS, STRICT_TRANSPORT } from './headers.ts'
import { logRequest } from './request-log.ts'
import type { Route } from './routes.ts'
import type { Running } from './running.ts'

/** Names the call, notes who has it and when, and puts on the headers that every answer carries. */
export function beginCall(
  request: FastifyRequest,
  reply: FastifyReply,
  row: Route | undefined,
  deps: Deps,
  running: Running,
): void {
  const { options, clock, tls, metrics } = deps
  const controller = running.add()
  const forwarded = request.headers['x-forwarded-for']
  const call: Call = {
    requestId: request.id,
    method: request.method,
    query: queryOf(request.url),
    route: row?.path ?? 'unknown',
    address: clientAddress(request.socket.remoteAddress, joined(forwarded), options.trustedProxies),
    signal: controller.signal,
    startedMs: clock.monotonicMs(),
    key: undefined,
    limits: undefined,
    body: Buffer.alloc(0),
    parameters: {},
    facts: {},
  }
  request.call = call
  metrics.begun()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new ApiError('client_left'))
    running.remove(controller)
    const status = reply.raw.headersSent ? reply.raw.statusCode : 499
    const ms = clock.monotonicMs() - call.startedMs
    metrics.ended(call, status, ms / 1000)
    logRequest(deps.log, call, status, ms)
  })
  reply.headers({
    ...COMMON_HEADERS,
    ...(tls.mode === 'files' ? STRICT_TRANSPORT : {}),
    ...corsHeaders(request.headers, options.corsOrigins),
    'x-request-id': call.requestId,
  })
}

function queryOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at + 1)
}

function joined(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header
}
