import { isIP } from 'node:net'
import { parseHost } from '../../lib/url/host.ts'
import { notAllowed } from '../read-field.ts'
import { DOMAINS_MAX } from './schema.ts'

const ALLOWED = `at most ${DOMAINS_MAX} domains such as example.org, as an array or with | or , between`
/** Letters, digits and hyphens, dots between (RFC 1123 section 2.1); IDNs are in their ASCII form by now. */
const HOST = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/

/** `include` and `exclude`: hosts in ASCII and lower case, each once. Throws ApiError 400 with the one that is none. */
export function parseDomains(param: string, value: unknown): string[] {
  if (value === undefined || value === null) return []
  const parts: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[|,]/) : [value]
  const written = parts.filter((part) => typeof part !== 'string' || part.trim() !== '')
  if (written.length > DOMAINS_MAX) throw notAllowed(param, written, ALLOWED)
  const hosts = written.map((part) => {
    const host = typeof part === 'string' && part.length <= 500 ? parseHost(part) : undefined
    if (host === undefined || !isHost(host)) throw notAllowed(param, part, ALLOWED)
    return host
  })
  return [...new Set(hosts)]
}

function isHost(host: string): boolean {
  return HOST.test(host) || isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0
}
