import { isIP, type Socket } from 'node:net'
import { rootCertificates } from 'node:tls'
import { Agent, buildConnector } from 'undici'
import { findExemption, type GuardRules, placesOf } from './guard.ts'
import type { Place } from './resolve.ts'

type ConnectOptions = buildConnector.Options
type ConnectCallback = buildConnector.Callback

const HEADER_BYTES_MAX = 65_536

/**
 * An undici agent whose every new connection goes to an address that was checked a moment before: the name is resolved
 * once, all its addresses are judged, and the socket is opened to that very address (which is what defeats
 * DNS rebinding; undici's own `lookup` is not even called for IP literals). HTTP/1.1, one connection an origin.
 */
export function createGuardedAgent(rules: GuardRules, connectMs: number): Agent {
  const connectors = new Map<string, ReturnType<typeof buildConnector>>()
  function connectorFor(ca: string | undefined): ReturnType<typeof buildConnector> {
    const known = connectors.get(ca ?? '')
    if (known !== undefined) return known
    const trust = ca === undefined ? {} : { ca: [...rootCertificates, ca] }
    const made = buildConnector({ allowH2: false, timeout: connectMs, ...trust })
    connectors.set(ca ?? '', made)
    return made
  }
  return new Agent({
    allowH2: false,
    connections: 1,
    pipelining: 1,
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: 10_000,
    connect(options: ConnectOptions, callback: ConnectCallback) {
      const origin = new URL(`${options.protocol}//${options.host ?? options.hostname}`)
      const connector = connectorFor(findExemption(origin.origin, rules)?.ca)
      placesOf(origin, rules).then(
        (places) => connectFirst(places, connector, options, callback),
        (error: Error) => callback(error, null),
      )
    },
  })
}

/** Tries the addresses in order; the last failure is the one told. */
function connectFirst(
  places: Place[],
  connector: ReturnType<typeof buildConnector>,
  options: ConnectOptions,
  callback: ConnectCallback,
): void {
  const [place, ...others] = places
  if (place === undefined) return
  const name = isIP(options.hostname.replace(/^\[|\]$/g, '')) === 0 ? options.hostname : undefined
  const target: ConnectOptions = {
    ...options,
    hostname: place.address,
    port: place.port === undefined ? options.port : String(place.port),
    ...(options.protocol === 'https:' && name !== undefined ? { servername: name } : {}),
  }
  connector(target, (...result: [Error, null] | [null, Socket]) => {
    if (result[0] !== null && others.length > 0) connectFirst(others, connector, options, callback)
    else callback(...(result as Parameters<ConnectCallback>))
  })
}
