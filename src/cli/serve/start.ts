import type { Accounts } from '../../accounts/accounts.ts'
import type { Admin } from '../../accounts/admin.ts'
import type { Listening, Server } from '../../api/server.ts'
import type { Tls } from '../../api/tls/tls.ts'
import type { Config } from '../../config/sections.ts'
import type { Engine } from '../../engine/messages.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { openOrTell } from '../open-admin.ts'
import { UserError } from '../command.ts'

export type Parts = { engine: Engine; tls: Tls; accounts: Accounts & Admin; server: Server; listening: Listening }
type Wish = { config: Config; dataFolder: string; root: string; version: string; log: Log }

/**
 * Constructs everything and begins to listen; resolves when all bound models are loaded. The engine is begun first,
 * since loading is the longest; the rest goes on beside it. Where one part fails, those that run are ended again.
 */
export async function startParts(wish: Wish): Promise<Parts> {
  const { config, dataFolder, root, log, version } = wish
  const { openEngine } = await import('../../engine/client.ts')
  const engine = openEngine({ options: config.engine, root, dataFolder, clock: systemClock, log })
  const ready = engine.ready()
  // Told below, when the rest has had its say; until then it is not "unhandled".
  ready.catch(() => {})
  const ends: (() => Promise<unknown>)[] = [() => engine.stop(0)]
  try {
    const [tls, accounts, { createServer }] = await Promise.all([
      openTlsParts(wish),
      openOrTell({ ...config.accounts, folder: dataFolder, clock: systemClock, log }),
      import('../../api/server.ts'),
    ])
    ends.push(() => accounts.close())
    const server = createServer({ options: config.api, tls, engine, accounts, log, clock: systemClock, version })
    const listening = await orSentence(server.listen())
    ends.push(() => server.close(0))
    await orSentence(ready)
    return { engine, tls, accounts, server, listening }
  } catch (error) {
    for (const end of ends.toReversed()) await end()
    throw error
  }
}

async function openTlsParts({ config, dataFolder, log }: Wish): Promise<Tls> {
  const { openTls } = await import('../../api/tls/open-tls.ts')
  return orSentence(openTls({ options: config.api, folder: dataFolder, clock: systemClock, log }))
}

/** These parts reject with a sentence for the operator; its stack would only hide it. */
async function orSentence<T>(outcome: Promise<T>): Promise<T> {
  try {
    return await outcome
  } catch (error) {
    throw error instanceof Error ? new UserError(error.message) : error
  }
}
