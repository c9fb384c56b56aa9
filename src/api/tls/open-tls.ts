import { join } from 'node:path'
import ipaddr from 'ipaddr.js'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { ApiOptions } from '../options.ts'
import { openCertificateFiles } from './certificate-files.ts'
import { openSelfSigned } from './self-signed.ts'
import type { Tls } from './tls.ts'

type Parts = {
  options: Pick<ApiOptions, 'tlsMode' | 'tlsCertFile' | 'tlsKeyFile' | 'names' | 'host' | 'unixSocket'>
  /** The data folder; mode `self` keeps its files in `tls/` below it. */
  folder: string
  clock: Clock
  log: Log
}

/** TLS as the operator chose it. Rejects with a sentence that says what to change. */
export async function openTls({ options, folder, clock, log }: Parts): Promise<Tls> {
  if (options.tlsMode === 'self') {
    const names = [...options.names, ...(isWildcard(options.host) ? [] : [options.host])]
    return openSelfSigned({ folder: join(folder, 'tls'), names, clock, log })
  }
  if (options.tlsMode === 'files') {
    return openCertificateFiles({ certFile: options.tlsCertFile, keyFile: options.tlsKeyFile }, log)
  }
  if (options.unixSocket === '' && !isLoopback(options.host)) {
    throw new Error(
      `TLS mode 'proxy' speaks plain HTTP and so listens on loopback or a unix socket only, not on ${options.host}: ` +
        'set host to 127.0.0.1, or name a unixSocket.',
    )
  }
  return { mode: 'proxy', material: undefined, authority: undefined, refresh: () => Promise.resolve(false) }
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback')
}

/** Listens on every address: a name in a certificate it is not. */
export function isWildcard(host: string): boolean {
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'unspecified'
}
