import type { RequestListener, Server as HttpServer } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import { randomBase62 } from '../lib/ids.ts'
import { beginCall } from './begin-call.ts'
import type { Call } from './call.ts'
import { isPreflight, preflightHeaders } from './cors.ts'
import type { Deps } from './deps.ts'
import { ApiError } from './errors.ts'
import { FloodGuard } from './flood-guard.ts'
import { guard } from './guard.ts'
import { methodsOf, type Route } from './routes.ts'
import type { Running } from './running.ts'
import { sendAnswer, sendError } from './send.ts'

declare module 'fastify' {
  interface FastifyRequest {
    call: Call
  }
  interface FastifyContextConfig {
    row?: Route
  }
}

type Parts = { deps: Deps; running: Running; makeServer: (listener: RequestListener) => HttpServer }

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
      sendError(error, request, reply, deps)
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

function isStrings(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null
}
