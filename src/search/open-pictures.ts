import type { Clock } from '../lib/clock.ts'
import type { Exemption } from '../lib/net/guard.ts'
import { createGuardedFetch, type GuardedFetch } from '../lib/net/guarded-fetch.ts'
import { cachedResolve, systemResolve, type Resolve } from '../lib/net/resolve.ts'
import { shrinkPicture } from './media/shrink-picture.ts'
import { PictureCache } from './picture-cache.ts'
import { THUMBNAIL_BOX, type Picture, type Pictures } from './pictures.ts'

export type PicturesDeps = {
  /** Where shrunken pictures are kept; may be deleted. */
  folder: string
  bytesMax: number
  userAgent: string
  /** Sites on private networks may be asked, as the crawler may. */
  allowPrivate: boolean
  /** The server's own origin, asked for when it is first needed. */
  exempt: () => readonly Exemption[]
  clock: Clock
  resolve?: Resolve
}

const LIMITS = { wireBytesMax: 10_485_760, decodedBytesMax: 20_971_520, headersMs: 5000, totalMs: 10_000 }
const ICON_BOX = { width: 64, height: 64 }
const FETCHES_MAX = 8
/** What could not be had is not asked for again for so long. */
const FAILED_MS = 600_000
const FAILED_MAX = 10_000

const KINDS = {
  thumb: { box: THUMBNAIL_BOX, lossless: false, type: 'image/webp' },
  icon: { box: ICON_BOX, lossless: true, type: 'image/png' },
} as const

/** Fetches a picture when somebody looks at it, shrinks it, and keeps the small one. */
export function openPictures(deps: PicturesDeps): Pictures {
  const cache = new PictureCache(deps.folder, deps.bytesMax)
  const failed = new Map<string, number>()
  const running = new Map<string, Promise<Picture | undefined>>()
  const waiting: (() => void)[] = []
  let net: GuardedFetch | undefined
  let fetches = 0

  async function load(kind: keyof typeof KINDS, url: string): Promise<Picture | undefined> {
    const { box, lossless, type } = KINDS[kind]
    if (fetches >= FETCHES_MAX) await new Promise<void>((resolve) => waiting.push(resolve))
    fetches++
    try {
      net ??= openNet(deps)
      const fetched = await fetchPicture(net, url, deps.userAgent)
      const bytes = fetched === undefined ? undefined : await shrinkPicture(fetched, box, lossless)
      if (bytes !== undefined) cache.put(`${kind}\n${url}`, bytes)
      return bytes === undefined ? undefined : { type, bytes }
    } finally {
      fetches--
      waiting.shift()?.()
    }
  }

  async function find(kind: keyof typeof KINDS, url: string, signal: AbortSignal): Promise<Picture | undefined> {
    const name = `${kind}\n${url}`
    const now = deps.clock.now()
    const kept = cache.get(name, now)
    if (kept !== undefined) return { type: KINDS[kind].type, bytes: kept }
    if (now - (failed.get(name) ?? -Infinity) < FAILED_MS) return undefined
    // Several who look at the same page ask for it once; the one who leaves does not take it from the others.
    const loading = running.get(name) ?? load(kind, url).finally(() => running.delete(name))
    running.set(name, loading)
    const found = await loading
    signal.throwIfAborted()
    if (found === undefined) remember(failed, name, now)
    return found
  }

  return {
    thumbnail: (url, signal) => find('thumb', url, signal),
    icon: (url, signal) => find('icon', url, signal),
    close: async () => await net?.close(),
  }
}

function openNet({ allowPrivate, exempt, clock, resolve }: PicturesDeps): GuardedFetch {
  return createGuardedFetch({
    resolve: cachedResolve(resolve ?? systemResolve, clock),
    allowPrivate,
    ...(allowPrivate ? { ports: true } : {}),
    exempt: exempt(),
    limits: LIMITS,
    clock,
  })
}

async function fetchPicture(net: GuardedFetch, url: string, userAgent: string): Promise<Uint8Array | undefined> {
  const headers: [string, string][] = [
    ['User-Agent', userAgent],
    ['Accept', 'image/avif,image/webp,image/png,image/*;q=0.8'],
  ]
  // Never the caller's own signal: others may wait for the same picture.
  const outcome = await net.follow(url, headers, new AbortController().signal)
  const whole = outcome.kind === 'answered' && outcome.status === 200 && outcome.truncated === undefined
  return whole ? outcome.decoded : undefined
}

function remember(failed: Map<string, number>, name: string, now: number): void {
  failed.set(name, now)
  const oldest = failed.keys().next()
  if (failed.size > FAILED_MAX && oldest.done !== true) failed.delete(oldest.value)
}
