import type { RequestListener, Server as HttpServer } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { randomBase62 } from '../lib/ids.ts'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { clientAddress } from './client-address.ts'
import { corsHeaders, isPreflight, preflightHeaders } from './cors.ts'
import type { Deps } from './deps.ts'
import { ApiError, renderError, toApiError } from './errors.ts'
import { FloodGuard } from './flood-guard.ts'
import { guard, tooLarge } from './guard.ts'
import { COMMON_HEADERS, limitHeaders, STRICT_TRANSPORT } from './headers.ts'
import { logRequest } from './request-log.ts'
import { methodsOf, type Route } from './routes.ts'
import { EventStream } from './sse.ts'

/** A stream whose reader takes nothing for so long ends (contract: idle for 60 s). */
const STALL_MS = 60_000

declare module 'fastify' {
  interface FastifyRequest {
    call: Call
  }
  interface FastifyContextConfig {
    row?: Route
  }
}

type Parts = { deps: Deps; running: Running; makeServer: (listener: RequestListener) => HttpServer }

/** The calls that are being answered, so that closing can wait for them, and end them when it must. */
export class Running {
  readonly #controllers = new Set<AbortController>()
  #onIdle: (() => void)[] = []

  add(): AbortController {
    const controller = new AbortController()
    this.#controllers.add(controller)
    return controller
  }

  remove(controller: AbortController): void {
    this.#controllers.delete(controller)
    if (this.#controllers.size === 0) this.#onIdle.splice(0).forEach((wake) => wake())
  }

  idle(): Promise<void> {
    return this.#controllers.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve))
  }

  abortAll(): void {
    for (const controller of this.#controllers) controller.abort(new ApiError('closing'))
  }
}

/** Fastify with the route table, our checks and our errors. It parses no body: the handlers' parsers do. */
export function buildApp({ deps, running, makeServer }: Parts): FastifyInstance {
  const floods = new FloodGuard(deps.clock)
  const app = Fastify({
    serverFactory: makeServer,
    genReqId: () => `req_${randomBase62(20)}`,
    bodyLimit: deps.options.bodyBytesMax,
    routerOptions: { maxParamLength: 500 },
    // Before routing: a path that cannot be decoded is a path that does not exist.
    frameworkErrors: (error, request, reply) => {
      beginCall(request, reply, undefined, deps, running)
      void sendError(error, request, reply, deps)
    },
  })
  app.decorateRequest('call')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addHook('onRequest', async (request, reply) => {
    const row = request.routeOptions.config?.row
    beginCall(request, reply, row, deps, running)
    const methods = methodsOf(request.url.split('?')[0] ?? '')
    if (methods.length > 0 && isPreflight(request.method, request.headers, deps.options.corsOrigins)) {
      return reply.code(204).headers(preflightHeaders(request.headers, methods)).send()
    }
    guard(request.call, row, request.raw, deps, floods)
    return undefined
  })
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, deps))
  // The guard has already thrown for every path that is not in the table.
  app.setNotFoundHandler((request, reply) => sendError(new ApiError('not_found'), request, reply, deps))
  for (const row of deps.routes) {
    app.route({
      method: row.method,
      url: row.path,
      config: { row },
      handler: async (request, reply) => {
        const { call } = request
        if (Buffer.isBuffer(request.body)) call.body = request.body
        call.parameters = isStrings(request.params) ? request.params : {}
        await sendAnswer(await row.handle(call, deps), request, reply, deps)
      },
    })
  }
  return app
}

/** Names the call, notes who has it and when, and puts on the headers that every answer carries. */
function beginCall(
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
    ...(deps.closing() ? { connection: 'close' } : {}),
  })
}

async function sendAnswer(answer: Answer, request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<void> {
  setLimits(request.call, reply, deps)
  switch (answer.kind) {
    case 'json':
      reply.headers({ 'content-type': 'application/json; charset=utf-8', ...answer.headers })
      await reply.code(answer.status ?? 200).send(JSON.stringify(answer.body))
      return
    case 'text':
      await reply.headers({ 'content-type': answer.type, ...answer.headers }).send(answer.text)
      return
    case 'redirect':
      await reply.redirect(answer.to, 308)
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
async function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<void> {
  const { call } = request
  let error = toApiError(thrown)
  if (error.code === 'body_too_large') error = tooLarge(deps.options.bodyBytesMax)
  call.facts.error = error.code
  if (error.reason !== undefined) call.facts.reason = error.reason
  if (error.code === 'internal')
    deps.log.error('internal_error', { requestId: call.requestId, error: error.reason ?? '', stack: stackOf(thrown) })
  setLimits(call, reply, deps)
  // The framework closes after a body it did not read to its end; Node drains it, so that the answer arrives.
  if (!deps.closing()) reply.removeHeader('connection')
  reply.headers({ 'content-type': 'application/json; charset=utf-8', ...error.particulars.headers })
  await reply.code(error.status).send(JSON.stringify(renderError(error)))
}

/** Every answer to a key tells its counters. */
function setLimits(call: Call, reply: FastifyReply, deps: Deps): void {
  if (call.key === undefined) return
  const scope = call.key.scopes.includes('chat') ? 'chat' : (call.key.scopes[0] ?? 'chat')
  reply.headers(limitHeaders(call.limits ?? deps.accounts.limits(call.key, scope)))
}

function joined(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header
}

function isStrings(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? '') : ''
}
