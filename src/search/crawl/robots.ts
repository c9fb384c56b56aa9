/**
 * The Robots Exclusion Protocol (RFC 9309): what a robots.txt lets a crawler with our product token ask for. Besides
 * the RFC, as Google's parser does: a missing colon is understood, a user-agent value ends at its first space.
 */
export type RobotsRules = {
  rules: readonly RobotsRule[]
  /** Of our group; no standard, but asked for by many. */
  crawlDelayMs?: number
  /** Absolute URLs as written, whatever group they stand in. */
  sitemaps: readonly string[]
}
type RobotsRule = { allow: boolean; pattern: string; anchored: boolean }

export const ALLOW_ALL: RobotsRules = { rules: [], sitemaps: [] }
export const DISALLOW_ALL: RobotsRules = { rules: [{ allow: false, pattern: '/', anchored: false }], sitemaps: [] }

/** §2.5: at least 500 KiB must be read; what stands behind is not. */
export const ROBOTS_BYTES_MAX = 512_000
const SITEMAPS_MAX = 1000

type Line = { field: string; value: string }

/** `token` is our product token, lower case ("unmask"). */
export function parseRobots(bytes: Uint8Array, token: string): RobotsRules {
  const groups = { own: newGroup(), all: newGroup() }
  const sitemaps: string[] = []
  let current: Group[] = []
  let inAgents = false
  let sawOwn = false
  for (const { field, value } of linesOf(bytes)) {
    if (field === 'sitemap') {
      if (sitemaps.length < SITEMAPS_MAX) sitemaps.push(Buffer.from(value, 'latin1').toString('utf8'))
    } else if (field === 'user-agent') {
      if (!inAgents) current = []
      inAgents = true
      // §2.2.1: only this group's own token counts, and without one the groups of "*".
      if (value === '*' || /^\*\s/.test(value)) current.push(groups.all)
      if (/^[a-z_-]*/i.exec(value)?.[0].toLowerCase() === token) {
        current.push(groups.own)
        sawOwn = true
      }
    } else if (field === 'allow' || field === 'disallow') {
      inAgents = false
      if (value !== '') for (const group of current) group.rules.push(ruleOf(field === 'allow', value))
    } else if (field === 'crawl-delay') {
      for (const group of current) group.crawlDelayMs ??= parseDelay(value)
    }
  }
  const group = sawOwn ? groups.own : groups.all
  const delay = group.crawlDelayMs === undefined ? {} : { crawlDelayMs: group.crawlDelayMs }
  return { rules: group.rules, sitemaps, ...delay }
}

type Group = { rules: RobotsRule[]; crawlDelayMs: number | undefined }
function newGroup(): Group {
  return { rules: [], crawlDelayMs: undefined }
}

function parseDelay(value: string): number | undefined {
  const seconds = Number(/^\d{1,9}(?:\.\d{1,6})?/.exec(value)?.[0] ?? Number.NaN)
  return Number.isNaN(seconds) ? undefined : Math.round(seconds * 1000)
}

/** Octets as latin1 characters, so that no byte is lost before it is percent-encoded. */
function* linesOf(bytes: Uint8Array): Generator<Line> {
  for (const raw of textOf(bytes.subarray(0, ROBOTS_BYTES_MAX)).split(/\r\n|[\r\n]/)) {
    const line = raw.replace(/#.*$/, '').trim()
    const [, name = '', value = ''] = /^([a-z-]+(?: agent)?)(?:\s*:\s*|\s+)(.*)$/i.exec(line) ?? []
    const field = FIELDS[name.toLowerCase()]
    if (field !== undefined) yield { field, value: value.trim() }
  }
}

const FIELDS: Record<string, string> = {
  'user-agent': 'user-agent',
  useragent: 'user-agent',
  'user agent': 'user-agent',
  allow: 'allow',
  disallow: 'disallow',
  dissallow: 'disallow',
  dissalow: 'disallow',
  disalow: 'disallow',
  diasllow: 'disallow',
  disallaw: 'disallow',
  sitemap: 'sitemap',
  'site-map': 'sitemap',
  'crawl-delay': 'crawl-delay',
}

/** §2.3: the file is UTF-8, with a byte order mark or without; files in UTF-16 are read as what they say they are. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return reencode(bytes, 'utf-16le')
  if (first === 0xfe && second === 0xff) return reencode(bytes, 'utf-16be')
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/^\u00EF(?:\u00BB\u00BF?)?/, '')
}

function reencode(bytes: Uint8Array, encoding: string): string {
  return Buffer.from(new TextDecoder(encoding).decode(bytes)).toString('latin1')
}

function ruleOf(allow: boolean, value: string): RobotsRule {
  const anchored = value.endsWith('$')
  const bare = anchored ? value.slice(0, -1) : value
  return {
    allow,
    pattern: normaliseOctets(bare)
      .replaceAll('$', '%24')
      .replace(/\*{2,}/g, '*'),
    anchored,
  }
}

/** §2.2.2: non-ASCII octets are compared percent-encoded, unreserved ones decoded, escapes in capitals. */
function normaliseOctets(text: string): string {
  return text
    .replace(/[\u0080-\u00FF]/g, (octet) => escapeOctet(octet))
    .replace(/%([0-9a-f]{2})/gi, (escape, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16))
      return /[A-Za-z0-9\-._~]/.test(character) ? character : escape.toUpperCase()
    })
}

function escapeOctet(octet: string): string {
  return `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
}

/**
 * §2.2.2: the longest matching rule wins, of equal ones the allowing one; no match is allowed. `path` is the URL's path
 * and query, percent-encoded as the URL parser gives it.
 */
export function isAllowed(rules: RobotsRules, path: string): boolean {
  if (path === '/robots.txt') return true
  // "*" and "$" mean themselves in a URL: a rule names them by their escapes (§2.2.3).
  const exact = normaliseOctets(Buffer.from(path).toString('latin1')).replaceAll('*', '%2A').replaceAll('$', '%24')
  const loose = decodeQuery(exact)
  let longest = -1
  let allowed = true
  for (const rule of rules.rules) {
    // As written: "/$" says more than "/".
    const length = rule.pattern.length + (rule.anchored ? 1 : 0)
    if (length < longest || (length === longest && (allowed || !rule.allow))) continue
    if (!matches(rule, rule.pattern, exact) && !matches(rule, decodeQuery(rule.pattern), loose)) continue
    longest = length
    allowed = rule.allow
  }
  return allowed
}

/** §2.2.2's table: in a query "https://x" and "https%3A%2F%2Fx" are one. */
function decodeQuery(path: string): string {
  const at = path.indexOf('?')
  return at < 0 ? path : path.slice(0, at) + path.slice(at).replaceAll('%3A', ':').replaceAll('%2F', '/')
}

/** §2.2.3: "*" is any octets, a last "$" the end. Greedy from the left, so the time is at most pattern times path. */
function matches(rule: RobotsRule, pattern: string, path: string): boolean {
  const [first = '', ...others] = pattern.split('*')
  if (!path.startsWith(first)) return false
  if (others.length === 0) return !rule.anchored || path.length === first.length
  let at = first.length
  for (const [i, part] of others.entries()) {
    if (rule.anchored && i === others.length - 1) return path.length - part.length >= at && path.endsWith(part)
    const found = path.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return true
}
