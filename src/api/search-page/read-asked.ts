import type { Fields } from '../read-field.ts'
import type { PageKind } from '../web-search/links.ts'

/** What the address of a results page asks for, as people and links wrote it. */
export type Asked = { query: string; kind: PageKind; freshness: string; site: string; page: number }

/** Results on one page. */
export const PAGE_COUNT = { web: 10, images: 30, videos: 12 } as const

const KINDS: ReadonlySet<string> = new Set(['web', 'images', 'videos'])

/** An address that is written oddly is read as well as it can be: a page for people has a first page. */
export function readAsked(query: string): Asked {
  const given = new URLSearchParams(query)
  const kind = given.get('type') ?? 'web'
  const page = Number(given.get('page') ?? 1)
  return {
    query: (given.get('q') ?? '').trim(),
    kind: KINDS.has(kind) ? (kind as PageKind) : 'web',
    freshness: given.get('freshness') || 'noLimit',
    site: (given.get('site') ?? '').trim(),
    page: Number.isSafeInteger(page) && page >= 1 ? page : 1,
  }
}

/** The fields of the JSON form. Images and videos stand beside the pages on the first page only. */
export function toFields({ query, kind, freshness, site, page }: Asked): Fields {
  const filter = { web: page === 1 ? 'webPages,images,videos' : 'webPages', images: 'images', videos: 'videos' }[kind]
  const count = PAGE_COUNT[kind]
  return {
    query,
    count,
    page,
    freshness,
    responseFilter: filter,
    summary: false,
    ...(site === '' ? {} : { include: site }),
  }
}

/** The address of a results page that differs from `asked` in `changes`. */
export function addressOf(asked: Asked, changes: Partial<Asked> = {}): string {
  const { query, kind, freshness, site, page } = { ...asked, ...changes }
  const parameters = new URLSearchParams({ q: query })
  if (kind !== 'web') parameters.set('type', kind)
  if (freshness !== 'noLimit') parameters.set('freshness', freshness)
  if (site !== '') parameters.set('site', site)
  if (page !== 1) parameters.set('page', String(page))
  return `/search?${parameters.toString()}`
}
