import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { randomBase62 } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { ApiError, renderError } from './errors.ts'
import { COMMON_HEADERS } from './headers.ts'
import { answerUnreadable } from './listener.ts'
import { isSearchPath, renderSearchError } from './web-search/error-body.ts'

/** Pages for people; everything else could carry a key, which a redirect would invite to be sent in the clear again. */
const PAGE = /^\/($|\?|(docs|search)(\/|$|\?))/

/**
 * The listener that serves nothing: 403 with the error object for every API path, a redirect for pages. The target is the
 * configured address, never the Host header that a stranger wrote.
 */
export function createPlainHttp(baseUrl: () => string, log: Log): Server {
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 10_000, maxHeaderSize: 16_384 },
    (request, response) => {
      request.resume()
      const url = request.url ?? '/'
      const requestId = `req_${randomBase62(20)}`
      const common = { ...COMMON_HEADERS, 'x-request-id': requestId, connection: 'close' }
      const isPage =
        (request.method === 'GET' || request.method === 'HEAD') && request.headers.authorization === undefined
      if (isPage && PAGE.test(url)) {
        response.writeHead(308, { ...common, location: `${baseUrl()}${url}` }).end()
        return
      }
      log.info('plain_http_refused', { requestId, method: request.method, status: 403 })
      const error = new ApiError('plain_http')
      const body = JSON.stringify(isSearchPath(url) ? renderSearchError(error, requestId) : renderError(error))
      response.writeHead(403, { ...common, 'content-type': 'application/json; charset=utf-8' }).end(body)
    },
  )
  return server.on('clientError', (error, socket: Socket) => answerUnreadable(error, socket, log))
}
