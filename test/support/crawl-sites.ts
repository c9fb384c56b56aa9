import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Resolve } from '../../src/lib/net/resolve.ts'

/** What a path answers: a page's HTML, or a function that writes the response. */
export type SitePath = string | ((request: IncomingMessage, response: ServerResponse, visit: number) => void)
/** Path with query → answer. `*` answers what nothing else does, 404 without it. */
export type SitePaths = Record<string, SitePath>

export type SiteRequest = {
  host: string
  path: string
  headers: IncomingMessage['headers']
  /** By the clock the sites were given. */
  at: number
  endedAt?: number
  /** Requests that this host was answering when this one came. */
  beside: number
}

export type Sites = {
  resolve: Resolve
  requests: SiteRequest[]
  /** What a host was asked for, in order. */
  paths(host: string): string[]
  /** How many requests are being answered. */
  answering(): number
  close(): Promise<void>
}

/**
 * Virtual hosts on loopback, each a server of its own, reached by name through `resolve`. Every request is written down
 * with the time of `now`.
 */
export async function startSites(hosts: Record<string, SitePaths>, now: () => number): Promise<Sites> {
  const requests: SiteRequest[] = []
  const servers = new Map<string, Server>()
  for (const [host, paths] of Object.entries(hosts)) servers.set(host, await startHost(host, paths, requests, now))
  return {
    requests,
    paths: (host) => requests.filter((request) => request.host === host).map(({ path }) => path),
    answering: () => requests.filter(({ endedAt }) => endedAt === undefined).length,
    resolve: async (hostname) => {
      const server = servers.get(hostname)
      return server === undefined ? [] : [{ address: '127.0.0.1', port: (server.address() as AddressInfo).port }]
    },
    async close() {
      for (const server of servers.values()) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
}

async function startHost(host: string, paths: SitePaths, requests: SiteRequest[], now: () => number): Promise<Server> {
  let open = 0
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const seen: SiteRequest = { host, path, headers: request.headers, at: now(), beside: open }
    const visit = requests.filter((one) => one.host === host && one.path === path).length + 1
    requests.push(seen)
    open++
    response.once('close', () => {
      open--
      seen.endedAt = now()
    })
    const answer = paths[path] ?? paths['*']
    if (answer === undefined) response.writeHead(404, { 'Content-Type': 'text/plain' }).end('none')
    else if (typeof answer === 'function') answer(request, response, visit)
    else response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(answer)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return server
}

/** A small page that links to `links`. */
export function linkPage(title: string, links: readonly string[], head = ''): string {
  const list = links.map((link) => `<a href="${link}">${link}</a>`).join('\n')
  return `<!doctype html><html><head><title>${title}</title>${head}</head><body><p>${title}</p>${list}</body></html>`
}

/** A path that answers with these bytes. */
export function sends(
  body: string | Uint8Array,
  headers: Record<string, string | string[]> = { 'Content-Type': 'text/html' },
  status = 200,
): SitePath {
  return (_request, response) => response.writeHead(status, headers).end(body)
}

/** A path that redirects. */
export function moves(to: string, status = 302): SitePath {
  return sends('', { Location: to }, status)
}
