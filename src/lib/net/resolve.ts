import { lookup } from 'node:dns/promises'
import type { Clock } from '../clock.ts'

/** Where a host answers. `port` is given only by overrides (a test's virtual hosts): it replaces the URL's port. */
export type Place = { address: string; port?: number }

/** Every address of a host name, the one to try first at the front. Rejects or gives none where there is none. */
export type Resolve = (hostname: string) => Promise<Place[]>

/** The system's resolver (hosts file, DNS). */
export const systemResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, order: 'ipv4first' })
  return found.map(({ address }) => ({ address }))
}

/** How long an answer is used again: short, because names move; long enough that one crawled host asks once a minute. */
const KEPT_MS = 60_000
const KEPT_MAX = 10_000

/** Remembers answers for a minute, so that what was checked for a host is what is connected to. Failures are not kept. */
export function cachedResolve(resolve: Resolve, clock: Clock): Resolve {
  const kept = new Map<string, { at: number; places: Promise<Place[]> }>()
  return (hostname) => {
    const now = clock.monotonicMs()
    const known = kept.get(hostname)
    if (known !== undefined && now - known.at < KEPT_MS) return known.places
    const places = resolve(hostname)
    places.catch(() => kept.delete(hostname))
    kept.delete(hostname)
    kept.set(hostname, { at: now, places })
    const oldest = kept.keys().next()
    if (kept.size > KEPT_MAX && oldest.done !== true) kept.delete(oldest.value)
    return places
  }
}
