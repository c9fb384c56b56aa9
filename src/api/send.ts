import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from './answer.ts'
import type { Deps } from './deps.ts'
import { renderError, toApiError } from './errors.ts'
import { tooLarge } from './guard.ts'
import { limitHeaders } from './headers.ts'
import { EventStream } from './sse.ts'
import { isSearchPath, renderSearchError } from './web-search/error-body.ts'

/** A stream whose reader takes nothing for so long ends (contract: idle for 60 s). */
const STALL_MS = 60_000

/** Turns what a handler gave back into bytes. */
export async function sendAnswer(
  answer: Answer,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
): Promise<void> {
  setLimits(request, reply, deps)
  if (deps.closing()) reply.header('connection', 'close')
  switch (answer.kind) {
    case 'json':
      reply.headers({ 'content-type': 'application/json; charset=utf-8', ...answer.headers })
      reply.code(answer.status ?? 200).send(JSON.stringify(answer.body))
      return
    case 'text':
      reply.headers({ 'content-type': answer.type, ...answer.headers })
      reply.code(answer.status ?? 200).send(answer.text)
      return
    case 'bytes':
      reply.headers({ 'content-type': answer.type, ...answer.headers }).send(Buffer.from(answer.bytes))
      return
    case 'redirect':
      reply.redirect(answer.to, 308)
      return
    case 'events': {
      const pace = { keepAliveMs: deps.options.keepAliveS * 1000, stallMs: STALL_MS }
      await answer.send(beginEvents(request, reply, pace, answer.headers ?? {}))
    }
  }
}

/** From here on the socket is the stream's. No proxy may hold events back or pack them. */
function beginEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  pace: { keepAliveMs: number; stallMs: number },
  headers: Record<string, string>,
): EventStream {
  reply.hijack()
  request.raw.socket.setNoDelay(true)
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    ...headers,
  })
  return new EventStream(reply.raw, pace)
}

/** The one place where an error becomes an answer. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply, deps: Deps): void {
  const { call } = request
  let error = toApiError(thrown)
  if (error.code === 'body_too_large') error = tooLarge(deps.options.bodyBytesMax)
  call.facts.error = error.code
  if (error.reason !== undefined) call.facts.reason = error.reason
  if (error.code === 'internal')
    deps.log.error('internal_error', { requestId: call.requestId, error: error.reason ?? '', stack: stackOf(thrown) })
  setLimits(request, reply, deps)
  // The framework closes after a body it did not read to its end; Node drains it, so that the answer arrives.
  if (deps.closing()) reply.header('connection', 'close')
  else reply.removeHeader('connection')
  reply.headers({ 'content-type': 'application/json; charset=utf-8', ...error.particulars.headers })
  const body = isSearchPath(request.url) ? renderSearchError(error, call.requestId) : renderError(error)
  reply.code(error.status).send(JSON.stringify(body))
}

/** Every answer to a key tells its counters. */
function setLimits({ call, url }: FastifyRequest, reply: FastifyReply, deps: Deps): void {
  if (call.key === undefined) return
  const wanted = isSearchPath(url) ? 'search' : 'chat'
  const scope = call.key.scopes.includes(wanted) ? wanted : (call.key.scopes[0] ?? wanted)
  try {
    reply.headers(limitHeaders(call.limits ?? deps.accounts.limits(call.key, scope)))
  } catch (error) {
    // An answer without its counters is better than a second failure inside the first.
    deps.log.error('limits_unreadable', { requestId: call.requestId, error: String(error) })
  }
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? '') : ''
}
