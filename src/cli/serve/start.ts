import { join } from 'node:path'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Admin } from '../../accounts/admin.ts'
import type { Listening, Server } from '../../api/server.ts'
import type { Tls } from '../../api/tls/tls.ts'
import type { Config } from '../../config/sections.ts'
import type { Engine } from '../../engine/messages.ts'
import { systemClock as clock } from '../../lib/clock.ts'
import type { Exemption } from '../../lib/net/guard.ts'
import type { Log } from '../../lib/log.ts'
import type { OpenSearch } from '../../search/open-search.ts'
import type { Pictures } from '../../search/pictures.ts'
import { openOrTell } from '../open-admin.ts'
import { UserError } from '../command.ts'
import { openSearchOf } from '../search-parts.ts'
import { readLinkKey } from './link-key.ts'

export type Parts = {
  engine: Engine
  tls: Tls
  accounts: Accounts & Admin
  search: OpenSearch
  pictures: Pictures
  server: Server
  listening: Listening
}
type Wish = { config: Config; dataFolder: string; root: string; version: string; log: Log }

/**
 * Constructs everything and begins to listen; resolves when all bound models are loaded. The engine is begun first,
 * since loading is the longest; the rest goes on beside it. Where one part fails, those that run are ended again.
 */
export async function startParts(wish: Wish): Promise<Parts> {
  const { config, dataFolder, root, log, version } = wish
  const { openEngine } = await import('../../engine/client.ts')
  const engine = openEngine({ options: config.engine, root, dataFolder, clock, log })
  const ready = engine.ready()
  // Told below, when the rest has had its say; until then it is not "unhandled".
  ready.catch(() => {})
  const ends: (() => Promise<unknown>)[] = [() => engine.stop(0)]
  try {
    const searching = openSearchOf(dataFolder, config, log)
    ends.push(async () => (await searching).close())
    const [tls, accounts, search, { createServer }] = await Promise.all([
      openTlsParts(wish),
      openOrTell({ ...config.accounts, folder: dataFolder, clock, log }),
      searching,
      import('../../api/server.ts'),
    ])
    ends.push(() => accounts.close())
    const own: Exemption[] = []
    const pictures = await openPicturesOf(wish, own)
    const shared = { search, pictures, linkKey: readLinkKey(dataFolder), docsFolder: join(root, 'docs') }
    const server = createServer({ options: config.api, tls, engine, accounts, ...shared, log, clock, version })
    const listening = await orSentence(server.listen())
    own.push(exemptionOf(listening, tls))
    ends.push(() => server.close(0))
    await orSentence(ready)
    return { engine, tls, accounts, search, pictures, server, listening }
  } catch (error) {
    for (const end of ends.toReversed()) await end()
    throw error
  }
}

/** `own` is filled when the server listens: its pictures may be fetched from itself. */
async function openPicturesOf({ config, dataFolder }: Wish, own: Exemption[]): Promise<Pictures> {
  const [{ openPictures }, { userAgent }] = await Promise.all([
    import('../../search/open-pictures.ts'),
    import('../../search/crawl/fetch-page.ts'),
  ])
  return openPictures({
    folder: join(dataFolder, 'cache', 'pictures'),
    bytesMax: config.search.picturesBytesMax,
    userAgent: userAgent(config.crawler.contact),
    allowPrivate: config.crawler.allowPrivate,
    exempt: () => own,
    clock,
  })
}

/** The one address that is asked whatever network it is on: this server's own. */
function exemptionOf({ baseUrl }: Listening, tls: Tls): Exemption {
  return { origin: baseUrl, ...(tls.authority === undefined ? {} : { ca: tls.authority.pem }) }
}

async function openTlsParts({ config, dataFolder, log }: Wish): Promise<Tls> {
  const { openTls } = await import('../../api/tls/open-tls.ts')
  return orSentence(openTls({ options: config.api, folder: dataFolder, clock, log }))
}

/** These parts reject with a sentence for the operator; its stack would only hide it. */
async function orSentence<T>(outcome: Promise<T>): Promise<T> {
  try {
    return await outcome
  } catch (error) {
    throw error instanceof Error ? new UserError(error.message) : error
  }
}
