import type { FetchedPage } from './fetched-page.ts'

/** Lower-case names; lines of one name are one list, as RFC 9110 §5.3 joins them. */
export function joinHeaders(headers: FetchedPage['headers']): Record<string, string> {
  const joined = new Map<string, string>()
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    const before = joined.get(lower)
    joined.set(lower, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(joined)
}
