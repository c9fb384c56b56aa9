import { isIP } from 'node:net'
import { isKeyless, isLoopback } from '../../api/keyless.ts'
import type { ApiOptions } from '../../api/options.ts'

/** What an operator should know who lets other machines in. */
export function hostWarnings({ host, names, unixSocket, tlsMode }: ApiOptions): string[] {
  if (isLoopback(host) || (tlsMode === 'proxy' && unixSocket !== '')) return []
  const open = `listening on ${host}: other machines can reach this server, and whoever has a key can use it.`
  const advice = 'The certificate names only this machine: set api.names to the names that clients use.'
  return names.length > 0 || tlsMode !== 'self' || (isIP(host) !== 0 && !/^[0:.]+$/.test(host))
    ? [open]
    : [open, advice]
}

/** Pages of a private network that strangers could now search; undefined where there is nothing to say. */
export function privatePagesWarning(options: ApiOptions, privatePages: number): string | undefined {
  const shown = isKeyless(options) && (!isLoopback(options.host) || options.tlsMode === 'proxy')
  if (!shown || privatePages === 0) return undefined
  const pages = privatePages === 1 ? '1 page' : `${privatePages} pages`
  return `${pages} from private networks stand in the index, and api.keylessSearch lets everybody search them: set it to off, or crawl into another data folder.`
}
