import { isIP } from 'node:net'
import type { ApiOptions } from '../../api/options.ts'

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/

/** What an operator should know who lets other machines in. */
export function hostWarnings({ host, names, unixSocket, tlsMode }: ApiOptions): string[] {
  if (LOOPBACK.test(host) || (tlsMode === 'proxy' && unixSocket !== '')) return []
  const open = `listening on ${host}: other machines can reach this server, and whoever has a key can use it.`
  const advice = 'The certificate names only this machine: set api.names to the names that clients use.'
  return names.length > 0 || tlsMode !== 'self' || (isIP(host) !== 0 && !/^[0:.]+$/.test(host))
    ? [open]
    : [open, advice]
}
