import { metaOf, resolve } from './head.ts'
import { isOfType, textValue } from './linked-data.ts'
import { thingsOf, type Page } from './page.ts'

const SITE = new Set(['WebSite'])
const OWNER = new Set(['Organization', 'NewsMediaOrganization', 'Corporation', 'OnlineStore', 'LocalBusiness'])

/** The website's name as it names itself. */
export function readSiteName(page: Page): string | undefined {
  const things = thingsOf(page)
  const named = (types: Set<string>): string | undefined =>
    things
      .filter((thing) => isOfType(thing, types))
      .map((thing) => textValue(thing['name'], 100))
      .find((name) => name !== undefined)
  const publisher = things
    .map((thing) => textValue(thing['publisher'], 100))
    .find((name) => name !== undefined && !name.startsWith('http'))
  const name =
    metaOf(page.head, 'og:site_name') ??
    named(SITE) ??
    metaOf(page.head, 'application-name', 'apple-mobile-web-app-title') ??
    publisher ??
    named(OWNER) ??
    suffixOf(page)
  return name?.slice(0, 100)
}

/** The part of the title that says the same as the host name. */
function suffixOf(page: Page): string | undefined {
  const host = new URL(page.url).hostname
    .replace(/^www\./, '')
    .split('.')
    .slice(0, -1)
    .join('')
    .toLowerCase()
  const parts = page.head.title.split(/\s+[|·•»›–—-]\s+|\s*[|｜]\s*/)
  if (parts.length < 2) return undefined
  return [parts.at(-1), parts[0]].find((part) => {
    const name = (part ?? '').toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
    return name.length > 2 && (host.includes(name) || name.includes(host))
  })
}

/** The icon that the page names: the largest up to 192 pixels, a touch icon where there is no other. */
export function readIcon(page: Page): string | undefined {
  const icons = page.head.links
    .filter(({ rel }) => /(?:^|\s)(?:icon|apple-touch-icon(?:-precomposed)?)(?:\s|$)/.test(rel))
    .map((link) => ({ url: resolve(link.href, page.head.baseUrl), rank: rankIcon(link.rel, link.sizes, link.type) }))
    .filter((icon) => icon.url !== undefined)
  return icons.toSorted((a, b) => b.rank - a.rank)[0]?.url
}

function rankIcon(rel: string, sizes: string, type: string): number {
  const size = Math.max(0, ...[...sizes.matchAll(/(\d{1,4})x\d/g)].map((match) => Number(match[1])))
  if (type.includes('svg') || sizes === 'any') return 64
  if (rel.includes('apple')) return Math.min(size || 120, 180) / 4
  return size > 192 ? 48 : size || 32
}
