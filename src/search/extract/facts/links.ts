import type { LinkRecord } from '../../document.ts'
import { closest, type Element } from '../dom/element.ts'
import { textOf } from '../dom/text.ts'
import { resolve } from './head.ts'
import type { Page } from './page.ts'

const LINKS_MAX = 2_000
const NAVIGATION = /(?:^|[\s_-])(?:nav\S*|menu\S*|header|footer|sidebar|breadcrumbs?|topbar|toc)(?:$|[\s_-])/

/** Links to other pages, each address once: the anchor that says most, followed if any of its links may be. */
export function readLinks(page: Page): LinkRecord[] {
  const links = new Map<string, LinkRecord>()
  const navigation = new Map<Element, boolean>()
  for (const element of page.tree.elements) {
    if ((element.name !== 'a' && element.name !== 'area') || links.size >= LINKS_MAX) continue
    const url = resolve(element.attributes['href'], page.head.baseUrl)
    if (url === undefined || element.attributes['href']?.trim().startsWith('#') === true) continue
    const nofollow = /(?:^|\s)(?:nofollow|ugc|sponsored)(?:\s|$)/i.test(element.attributes['rel'] ?? '')
    const link = { url, anchor: anchorOf(element), nofollow, navigation: isNavigation(element, navigation) }
    const before = links.get(url)
    links.set(url, before === undefined ? link : merge(before, link))
  }
  return [...links.values()]
}

function merge(a: LinkRecord, b: LinkRecord): LinkRecord {
  return {
    url: a.url,
    anchor: a.anchor === '' ? b.anchor : a.anchor,
    nofollow: a.nofollow && b.nofollow,
    navigation: a.navigation || b.navigation,
  }
}

function anchorOf(element: Element): string {
  const text = textOf(element, 200)
  if (text !== '') return text
  const { 'aria-label': label, title, alt } = element.attributes
  const image = element.children.find((child) => typeof child !== 'string' && child.name === 'img')
  const shown = label ?? title ?? alt ?? (typeof image === 'object' ? image.attributes['alt'] : undefined)
  return (shown ?? '').trim().slice(0, 200)
}

function isNavigation(element: Element, known: Map<Element, boolean>): boolean {
  const parent = element.parent
  if (parent === undefined) return false
  const seen = known.get(parent)
  if (seen !== undefined) return seen
  const place = closest(parent, isNavigationPlace)
  known.set(parent, place !== undefined)
  return place !== undefined
}

function isNavigationPlace(element: Element): boolean {
  if (element.name === 'body' || element.name === 'html') return false
  if (element.name === 'nav' || element.name === 'footer' || element.attributes['role'] === 'navigation') return true
  if (element.name === 'header') return element.parent?.name === 'body' || NAVIGATION.test(element.marks)
  return element.marks !== ' ' && NAVIGATION.test(element.marks)
}
