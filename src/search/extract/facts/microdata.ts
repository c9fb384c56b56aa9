import { closest, type Element } from '../dom/element.ts'
import type { HtmlTree } from '../dom/parse-html.ts'
import { textOf } from '../dom/text.ts'
import type { Thing } from './linked-data.ts'

const ITEMS_MAX = 200
const PROPERTIES_MAX = 2_000

/** Things told by `itemscope`, `itemtype` and `itemprop` (https://html.spec.whatwg.org/multipage/microdata.html), in the shape of JSON-LD. */
export function readMicrodata(tree: HtmlTree): Thing[] {
  const items = new Map<Element, Record<string, unknown>>()
  let properties = 0
  for (const element of tree.elements) {
    if (element.attributes['itemscope'] !== undefined && items.size < ITEMS_MAX) {
      items.set(element, { '@type': element.attributes['itemtype'] ?? '' })
    }
    const names = element.attributes['itemprop']
    if (names === undefined || element.parent === undefined || ++properties > PROPERTIES_MAX) continue
    const owner = closest(element.parent, (around) => around.attributes['itemscope'] !== undefined)
    const item = owner === undefined ? undefined : items.get(owner)
    if (item === undefined) continue
    const value = items.get(element) ?? valueOf(element)
    for (const name of names.split(/\s+/)) if (name !== '') append(item, name, value)
  }
  return [...items.values()].filter((item) => item['@type'] !== '')
}

function append(item: Record<string, unknown>, name: string, value: unknown): void {
  const before = Object.hasOwn(item, name) ? item[name] : undefined
  const next = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
  Object.defineProperty(item, name, { value: next, enumerable: true, configurable: true, writable: true })
}

function valueOf(element: Element): string {
  const { content, datetime, href, src } = element.attributes
  return content ?? datetime ?? (element.name === 'a' || element.name === 'link' ? href : src) ?? textOf(element, 1_000)
}
