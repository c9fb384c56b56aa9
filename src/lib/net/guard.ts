import { isPublicAddress, literalAddress } from './address-guard.ts'
import type { Place, Resolve } from './resolve.ts'

/** A server of our own: exactly this origin may be asked whatever its address and port, trusting `ca` (PEM) besides. */
export type Exemption = { origin: string; ca?: string }

export type GuardRules = {
  resolve: Resolve
  /** Lets private addresses be asked. Off unless an operator says otherwise. */
  allowPrivate: boolean
  /** Further ports besides 80 and 443; true for every port. */
  ports?: readonly number[] | true
  exempt?: readonly Exemption[]
}

export type RefusalReason = 'scheme' | 'credentials' | 'port' | 'address' | 'name'

/** Why a URL may not be asked, judged by its text alone; undefined when it may. Addresses of names are judged at connect. */
export function refuseUrl(url: URL, rules: GuardRules): RefusalReason | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'scheme'
  if (url.username !== '' || url.password !== '') return 'credentials'
  if (findExemption(url.origin, rules) !== undefined) return undefined
  const port = portOf(url)
  if (port !== 80 && port !== 443 && rules.ports !== true && rules.ports?.includes(port) !== true) return 'port'
  const literal = literalAddress(url.hostname)
  if (literal !== undefined && !rules.allowPrivate && !isPublicAddress(literal)) return 'address'
  return undefined
}

/**
 * Where to connect for an origin: all its addresses, each one checked. One refused address refuses the host, since
 * a name that mixes public and private addresses is how rebinding begins. Throws a `GuardError`.
 */
export async function placesOf(origin: URL, rules: GuardRules): Promise<Place[]> {
  const literal = literalAddress(origin.hostname)
  const places = literal === undefined ? await resolveName(origin.hostname, rules.resolve) : [{ address: literal }]
  const open = rules.allowPrivate || findExemption(origin.origin, rules) !== undefined
  if (!open && places.some((place) => !isPublicAddress(place.address))) throw new GuardError('address', origin.hostname)
  return places
}

async function resolveName(hostname: string, resolve: Resolve): Promise<Place[]> {
  const places = await resolve(hostname).catch(() => [])
  if (places.length === 0) throw new GuardError('name', hostname)
  return places
}

export function findExemption(origin: string, rules: GuardRules): Exemption | undefined {
  return rules.exempt?.find((exemption) => exemption.origin === origin)
}

function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}

/** The guard said no while connecting. */
export class GuardError extends Error {
  readonly reason: RefusalReason
  constructor(reason: RefusalReason, hostname: string) {
    super(`${hostname}: ${reason === 'name' ? 'has no address' : 'its address is not public'}`)
    this.reason = reason
  }
}
