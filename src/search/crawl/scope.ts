import { isUnderHost, registrableDomain } from '../../lib/url/host.ts'

/** Which hosts a crawl may touch. `host`: the seeds' own, with and without "www."; `domain`: all of their registrants'. */
export type ScopeKind = 'host' | 'domain'

/** What hosts (of the seeds, and those a seed redirects to) open to the crawl, as host suffixes or exact names. */
export function scopeOf(host: string, kind: ScopeKind): string {
  return kind === 'domain' ? registrableDomain(host) : host.replace(/^www\./, '')
}

export function isInScope(host: string, scopes: readonly string[], kind: ScopeKind): boolean {
  return scopes.some((scope) => (kind === 'domain' ? isUnderHost(host, scope) : host.replace(/^www\./, '') === scope))
}

/** Endings of files that hold no text we read: asking for them would waste the host's time. */
const NO_PAGE =
  /\.(?:jpe?g|png|gif|webp|avif|svgz?|ico|bmp|tiff?|mp[34]|m4[av]|og[gva]|opus|webm|mov|avi|mkv|wav|flac|zip|gz|tgz|bz2|xz|7z|rar|tar|deb|rpm|dmg|exe|msi|iso|apk|jar|whl|css|m?js|map|wasm|woff2?|ttf|otf|eot|docx?|xlsx?|pptx?|od[tsp]|epub|bin|img|so|dll|class|pyc)$/i

export function looksLikePage(url: string): boolean {
  return !NO_PAGE.test(new URL(url).pathname)
}
