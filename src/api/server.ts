import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import type { Server as HttpServer } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { buildApp } from './app.ts'
import type { Deps, ServerParts } from './deps.ts'
import { answerUnreadable, createListener, secureOptions } from './listener.ts'
import { isKeyless } from './keyless.ts'
import { openManual } from './manual/open-manual.ts'
import { createMetrics, metricsServer } from './metrics.ts'
import { createPlainHttp } from './plain-http.ts'
import { ROUTES } from './routes.ts'
import { Running } from './running.ts'
import { isWildcard } from './tls/open-tls.ts'

/** How often a certificate's age is looked at. */
const RENEWAL_MS = 3_600_000

export type Server = {
  /** Begins to accept; rejects with a sentence where a port cannot be had. */
  listen(): Promise<Listening>
  /** Reads or renews certificates (SIGHUP). True: new connections get a new one. */
  reload(): Promise<boolean>
  /** Accepts nothing more, lets running replies end until `graceMs`, then ends them. */
  close(graceMs: number): Promise<void>
}

export type Listening = {
  baseUrl: string
  port: number
  plainHttpPort: number | undefined
  metricsPort: number | undefined
}

/** The HTTPS side as one thing: construct, listen, close. */
export function createServer(parts: ServerParts): Server {
  const { options, tls, log } = parts
  const running = new Running()
  let closing = false
  let baseUrl = baseUrlOf(parts, options.port)
  const deps: Deps = {
    ...parts,
    routes: ROUTES,
    metrics: createMetrics(parts.engine, parts.search),
    baseUrl: () => baseUrl,
    keyless: isKeyless(options),
    manual: openManual(parts.docsFolder),
    closing: () => closing,
  }
  const app = buildApp({ deps, running, makeServer: (listener) => createListener(tls, options, listener) })
  const main: HttpServer = app.server
  // Ours instead of the framework's, which it puts on by itself.
  main.removeAllListeners('clientError')
  main.on('clientError', (error, socket: Socket) => answerUnreadable(error, socket, log))
  const plain = createPlainHttp(() => baseUrl, log)
  const metrics = metricsServer(deps.metrics)
  const reload = async (): Promise<boolean> => {
    const renewed = await tls.refresh()
    if (renewed && main instanceof SecureServer) main.setSecureContext(secureOptions(tls))
    if (renewed) log.info('tls_reloaded', { fingerprint: tls.material?.fingerprint })
    return renewed
  }
  const renewal = setInterval(() => void reload(), RENEWAL_MS).unref()

  return {
    reload,
    async listen() {
      await app.ready()
      const port = await openMain(main, parts)
      baseUrl = baseUrlOf(parts, port)
      const plainHttpPort =
        options.plainHttpPort === 0 ? undefined : await openPort(plain, options.host, options.plainHttpPort)
      const metricsPort = options.metricsPort === 0 ? undefined : await openMetrics(metrics, parts)
      return { baseUrl, port, plainHttpPort, metricsPort }
    },
    async close(graceMs) {
      closing = true
      clearInterval(renewal)
      const servers = [main, plain, metrics].filter((server) => server.listening)
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      for (const server of servers) server.closeIdleConnections()
      await within(running.idle(), graceMs)
      running.abortAll()
      await within(running.idle(), 1000)
      for (const server of servers) server.closeAllConnections()
      await Promise.all(closed)
      await app.close()
    },
  }
}

async function openMain(server: HttpServer, { options, tls }: ServerParts): Promise<number> {
  if (tls.mode !== 'proxy' || options.unixSocket === '') return openPort(server, options.host, options.port)
  // A socket file that a killed process left behind would refuse us; the data folder's lock says that nobody else is there.
  await rm(options.unixSocket, { force: true })
  server.listen(options.unixSocket)
  await once(server, 'listening')
  await chmod(options.unixSocket, 0o660)
  return 0
}

async function openPort(server: HttpServer, host: string, port: number): Promise<number> {
  server.listen({ host, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'EADDRINUSE') {
      throw new Error(
        `Port ${port} on ${host} is taken by another program: choose another one (--port N), or end that program.`,
        {
          cause: error,
        },
      )
    }
    throw new Error(`Cannot listen on ${host}, port ${port} (${String(code)}).`, { cause: error })
  }
  return (server.address() as AddressInfo).port
}

/** Metrics are worth a warning, not a refusal to serve. */
async function openMetrics(server: HttpServer, { options, log }: ServerParts): Promise<number | undefined> {
  try {
    return await openPort(server, '127.0.0.1', options.metricsPort)
  } catch (error) {
    log.warn('metrics_port_taken', { port: options.metricsPort, error: String(error) })
    return undefined
  }
}

/** Where clients reach us: the first configured name, else the address we listen on. Behind a proxy that is the proxy. */
function baseUrlOf({ options, tls }: ServerParts, port: number): string {
  const name = options.names[0] ?? (isWildcard(options.host) ? 'localhost' : options.host)
  const host = name.includes(':') ? `[${name}]` : name
  if (tls.mode === 'proxy') return options.names.length > 0 ? `https://${host}` : `http://${host}:${port}`
  return port === 443 ? `https://${host}` : `https://${host}:${port}`
}

async function within(wait: Promise<void>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  await Promise.race([wait, late.promise])
  clearTimeout(timer)
}
