import type { Log } from '../../lib/log.ts'
import type { Parts } from './start.ts'

/** SIGTERM to the end takes at most 10 s: replies may go on for the first of these, the rest is for closing. */
const REPLIES_MS = 7500
const ENGINE_MS = 500

/** In the order of who needs whom: no new calls, running replies end, then the engine, then the counts are written. */
export async function stopParts({ server, engine, accounts, search, pictures }: Parts, log: Log): Promise<void> {
  const startedAt = performance.now()
  await server.close(REPLIES_MS)
  await engine.stop(ENGINE_MS)
  await Promise.all([accounts.close(), search.close(), pictures.close()])
  log.info('stopped', { ms: Math.round(performance.now() - startedAt) })
}
