import type { Element } from '../dom/element.ts'
import type { HtmlTree } from '../dom/parse-html.ts'
import { collapse, textOf } from '../dom/text.ts'

type HeadLink = { rel: string; href: string; type: string; sizes: string; hreflang: string }

/** What a page says of itself in `<meta>`, `<link>`, `<title>` and `<html lang>`. */
export type Head = {
  /** Name, property, itemprop or http-equiv in lower case → its values, in order. */
  meta: Map<string, string[]>
  links: HeadLink[]
  title: string
  language: string
  baseUrl: string
}

const META_MAX = 500

export function readHead(tree: HtmlTree, url: string): Head {
  const head: Head = { meta: new Map(), links: [], title: '', language: '', baseUrl: url }
  let metas = 0
  let base: string | undefined
  for (const element of tree.elements) {
    if (element.name === 'meta' && metas++ < META_MAX) addMeta(head.meta, element)
    else if (element.name === 'link' && head.links.length < META_MAX) addLink(head.links, element)
    else if (element.name === 'title' && head.title === '') head.title = textOf(element, 400)
    else if (element.name === 'html')
      head.language ||= (element.attributes['lang'] ?? element.attributes['xml:lang'] ?? '').trim()
    else if (element.name === 'base') base ??= element.attributes['href']
  }
  if (base !== undefined) head.baseUrl = resolve(base, url) ?? url
  return head
}

/** The first value of the first of these names that has one. */
export function metaOf(head: Head, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = head.meta.get(name)?.find((text) => text !== '')
    if (value !== undefined) return value
  }
  return undefined
}

/** An absolute http(s) address without fragment, or undefined. */
export function resolve(reference: string | undefined, base: string): string | undefined {
  if (reference === undefined || reference.length > 4_096) return undefined
  const trimmed = reference.trim()
  if (trimmed === '' || /^(?:javascript|data|mailto|tel|blob|about|sms|whatsapp):/i.test(trimmed)) return undefined
  const url = URL.parse(trimmed, base)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  url.hash = ''
  url.username = ''
  url.password = ''
  return url.href
}

function addMeta(meta: Map<string, string[]>, element: Element): void {
  const { content, name, property, itemprop, 'http-equiv': equivalent } = element.attributes
  if (content === undefined) return
  const value = collapse(content)
  for (const key of new Set([name, property, itemprop, equivalent])) {
    if (key === undefined || key === '') continue
    const lower = key.trim().toLowerCase()
    const values = meta.get(lower)
    if (values === undefined) meta.set(lower, [value])
    else values.push(value)
  }
}

function addLink(links: HeadLink[], element: Element): void {
  const { rel, href, type, sizes, hreflang } = element.attributes
  if (rel === undefined || href === undefined) return
  links.push({ rel: rel.toLowerCase(), href, type: type ?? '', sizes: sizes ?? '', hreflang: hreflang ?? '' })
}
