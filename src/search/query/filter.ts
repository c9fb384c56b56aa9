import type { IndexFilter } from '../index/search-index.ts'
import type { SearchRequest } from '../search.ts'
import type { ParsedQuery } from './parse.ts'

/** What the request and the query's operators allow, together. */
export function buildFilter(request: SearchRequest, parsed: ParsedQuery, safe: boolean): IndexFilter {
  const filter: IndexFilter = {}
  const sites = narrow(request.include, parsed.sites)
  if (sites !== undefined) filter.sitesAny = sites
  const none = [...request.exclude, ...parsed.withoutSites]
  if (none.length > 0) filter.sitesNone = none
  if (parsed.languages.length > 0) filter.languages = parsed.languages
  if (parsed.fileTypes.length > 0) filter.fileTypes = parsed.fileTypes
  if (request.freshness !== undefined) {
    filter.from = Math.floor(request.freshness.from / 1000)
    filter.to = Math.floor(request.freshness.to / 1000)
  }
  if (safe) filter.adult = false
  return filter
}

/** Hosts under both lists; undefined when neither names any. */
function narrow(a: string[], b: string[]): string[] | undefined {
  if (a.length === 0 || b.length === 0) return a.length + b.length === 0 ? undefined : [...a, ...b]
  const both = a.flatMap((x) => b.flatMap((y) => (isUnder(x, y) ? [x] : isUnder(y, x) ? [y] : [])))
  return [...new Set(both)]
}

function isUnder(host: string, site: string): boolean {
  return host === site || host.endsWith(`.${site}`)
}
