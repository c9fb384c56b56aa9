import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { apiOptions, type ApiOptions } from '../../src/api/options.ts'
import { createServer, type Listening, type Server } from '../../src/api/server.ts'
import { openTls } from '../../src/api/tls/open-tls.ts'
import type { Tls } from '../../src/api/tls/tls.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Log, LogFields } from '../../src/lib/log.ts'
import { httpsClient, type HttpsClient } from './https-client.ts'
import { FakeAccounts } from './fake-accounts.ts'
import { MemoryPictures, MemorySearch } from './memory-search.ts'
import { ScriptedEngine } from './scripted-engine.ts'

export type LogLine = { level: string; event: string; fields: LogFields }

export type TestServer = HttpsClient & {
  server: Server
  listening: Listening
  engine: ScriptedEngine
  accounts: FakeAccounts
  search: MemorySearch
  pictures: MemoryPictures
  tls: Tls
  lines: LogLine[]
  folder: string
}

/** Every option at its declared default. */
export const DEFAULTS = Object.fromEntries(
  Object.entries(apiOptions.properties).map(([name, schema]) => [
    name,
    'default' in schema ? schema.default : undefined,
  ]),
) as ApiOptions

/** A key that may chat without limits, on every test server. */
export const KEY = 'um_live_test'
/** One that may search. */
export const SEARCH_KEY = 'um_live_search'

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url))

/** The whole HTTPS side on a port of its own, with a scripted engine; ends with the test file that asked for it. */
export async function startServer(changes: Partial<ApiOptions> = {}): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'unmask-api-'))
  const options: ApiOptions = { ...DEFAULTS, port: 0, metricsPort: 0, ...changes }
  const engine = new ScriptedEngine()
  const accounts = new FakeAccounts()
  accounts.add(KEY)
  accounts.add(SEARCH_KEY, { scopes: ['search'] })
  const [search, pictures] = [new MemorySearch(), new MemoryPictures()]
  const lines: LogLine[] = []
  const log = recordingLog(lines)
  const tls = await openTls({ options, folder, clock: systemClock, log })
  const shared = { search, pictures, linkKey: Buffer.alloc(32, 7), docsFolder: DOCS }
  const server = createServer({ options, tls, engine, accounts, ...shared, log, clock: systemClock, version: '0.0.0' })
  const listening = await server.listen()
  const client = httpsClient({ baseUrl: `https://127.0.0.1:${listening.port}`, key: KEY, ca: tls.authority?.pem })
  after(async () => {
    client.close()
    await server.close(0)
    await rm(folder, { recursive: true, force: true })
  })
  return { ...client, server, listening, engine, accounts, search, pictures, tls, lines, folder }
}

function recordingLog(lines: LogLine[]): Log {
  const write =
    (level: string) =>
    (event: string, fields: LogFields = {}): void =>
      void lines.push({ level, event, fields })
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
