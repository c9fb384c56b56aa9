import type { ApiOptions } from './options.ts'

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/i

/** Can only this machine reach that address? */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host)
}

/** A proxy in front listens for others, wherever we listen: then the operator has to say so. */
export function isKeyless({ keylessSearch, host, tlsMode }: ApiOptions): boolean {
  return keylessSearch === 'auto' ? isLoopback(host) && tlsMode !== 'proxy' : keylessSearch === 'on'
}
