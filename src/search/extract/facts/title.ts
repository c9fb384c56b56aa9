import { headingText } from '../dom/text.ts'
import { metaOf } from './head.ts'
import { ARTICLE_TYPES, thingsOf, type Page } from './page.ts'
import { isOfType, textValue } from './linked-data.ts'

const SEPARATOR = /\s+[|·•»›–—:~/-]\s+|\s*[|»›｜]\s*|\s*_\s+|\s::\s/
const TITLE_MAX = 300

/** The page's own title, without the site's name where that can be told apart. */
export function readTitle(page: Page, siteName: string | undefined): string {
  const headings = page.tree.elements
    .filter((element) => element.name === 'h1')
    .map((element) => headingText(element, TITLE_MAX))
  const shown = headings.filter((text) => text !== '')
  const written = page.head.title
  const social = metaOf(page.head, 'og:title', 'twitter:title')
  const told = thingsOf(page)
    .filter((thing) => isOfType(thing, ARTICLE_TYPES))
    .map((thing) => textValue(thing['headline'] ?? thing['name'], TITLE_MAX))
    .find((text) => text !== undefined)
  const heading = shown.find((text) => agrees(text, written) || agrees(text, social ?? ''))
  if (heading !== undefined && heading.length > 3) return heading
  for (const candidate of [social, written, told]) {
    const bare = withoutSite(candidate ?? '', siteName, page.url)
    if (bare !== '') return bare.slice(0, TITLE_MAX)
  }
  return shown[0] ?? ''
}

function agrees(heading: string, title: string): boolean {
  if (heading.length < 4 || title === '') return false
  const [a, b] = [fold(heading), fold(title)]
  return b.includes(a) || (a.includes(b) && b.length > 8)
}

function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** `Title | Site` → `Title`: a part goes when it is the site's name or its host, at either end. */
function withoutSite(title: string, siteName: string | undefined, url: string): string {
  const parts = title.split(SEPARATOR).map((part) => part.trim())
  if (parts.length < 2) return title.trim()
  const host = fold(
    new URL(url).hostname
      .replace(/^www\./, '')
      .split('.')
      .slice(0, -1)
      .join(''),
  ).replaceAll(' ', '')
  const isSite = (part: string | undefined): boolean => {
    const name = fold(part ?? '').replaceAll(' ', '')
    if (name === '') return true
    const site = fold(siteName ?? '').replaceAll(' ', '')
    return name === site || (host.length > 2 && (host.includes(name) || name.includes(host)) && name.length > 2)
  }
  const last = parts.at(-1) ?? ''
  if (isSite(last)) return cut(title, title.lastIndexOf(last), 'end')
  const first = parts[0] ?? ''
  if (isSite(first)) return cut(title, first.length, 'start')
  return title.trim()
}

function cut(title: string, at: number, side: 'start' | 'end'): string {
  const rest = side === 'end' ? title.slice(0, at) : title.slice(at)
  return rest.replace(side === 'end' ? /[\s|·•»›–—:~/｜_-]+$/ : /^[\s|·•»›–—:~/｜_-]+/, '').trim()
}
