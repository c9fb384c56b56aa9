import type { HtmlTree } from '../dom/parse-html.ts'
import { collapse } from '../dom/text.ts'

/** One thing of schema.org, as the page tells it in JSON-LD or microdata (both have this shape here). */
export type Thing = Readonly<Record<string, unknown>>

const THINGS_MAX = 500
const DEPTH_MAX = 12

/** All things in the page's JSON-LD blocks, nested ones too, outer before inner. What is no JSON is passed over. */
export function readLinkedData(tree: HtmlTree): Thing[] {
  const things: Thing[] = []
  for (const element of tree.elements) {
    if (element.name !== 'script') continue
    const text = element.children.filter((child) => typeof child === 'string').join('')
    const parsed = parseLoosely(text)
    if (parsed !== undefined) collect(parsed, things, 0)
  }
  return things
}

/** Many pages wrap the block in a comment or in CDATA (which the parser has made `<! CDATA `), or leave line breaks in strings or a comma at the end. */
function parseLoosely(text: string): unknown {
  const bare = text
    .replace(/^\s*(?:<!--|\/\*\s*<!.CDATA.\s*\*\/|(?:\/\/\s*)?<!.CDATA.)/, '')
    .replace(/(?:-->|\/\*\s*\]\]>\s*\*\/|(?:\/\/\s*)?\]\]>|;)\s*$/, '')
  for (const candidate of [bare, bare.replaceAll(/\p{Cc}+/gu, ' ').replaceAll(/,\s*(?=[}\]])/g, '')]) {
    try {
      return JSON.parse(candidate)
    } catch {
      // The next reading is looser; a block that is no JSON at all says nothing.
    }
  }
  return undefined
}

function collect(value: unknown, things: Thing[], depth: number): void {
  if (depth > DEPTH_MAX || things.length >= THINGS_MAX || value === null || typeof value !== 'object') return
  if (Array.isArray(value)) {
    for (const item of value.slice(0, THINGS_MAX)) collect(item, things, depth + 1)
    return
  }
  if ('@type' in value) things.push(value as Thing)
  for (const inner of Object.values(value)) if (typeof inner === 'object') collect(inner, things, depth + 1)
}

/** Types without the vocabulary's address: `https://schema.org/NewsArticle` is `NewsArticle`. */
export function typesOf(thing: Thing): string[] {
  const type = thing['@type']
  const names = Array.isArray(type) ? type : [type]
  return names.filter((name) => typeof name === 'string').map((name) => name.replace(/^.*[/#:]/, ''))
}

export function isOfType(thing: Thing, types: ReadonlySet<string>): boolean {
  return typesOf(thing).some((type) => types.has(type))
}

/** A text value: the string itself, the first of a list, or the thing's name. Markup and entities are taken out. */
export function textValue(value: unknown, limit = 1_000): string | undefined {
  const one: unknown = Array.isArray(value) ? value[0] : value
  if (typeof one === 'number') return String(one)
  if (typeof one === 'string') return plain(one.slice(0, limit * 2)).slice(0, limit) || undefined
  if (one === null || typeof one !== 'object') return undefined
  const named = one as Thing
  return textValue(named['@value'] ?? named['name'], limit)
}

/** All addresses of a value: strings, things with `url` or `contentUrl`, lists of either. */
export function urlValues(value: unknown): string[] {
  if (typeof value === 'string') return [value.trim()]
  if (Array.isArray(value)) return value.slice(0, 20).flatMap((item) => urlValues(item))
  if (value === null || typeof value !== 'object') return []
  const thing = value as Thing
  return urlValues(thing['contentUrl'] ?? thing['url'] ?? thing['@id'] ?? [])
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
  '#039': "'",
}

/** Text of a string that may hold markup, as descriptions in shops do. */
export function plain(text: string): string {
  const untagged = /[<&]/.test(text)
    ? text
        .replaceAll(/&(amp|lt|gt|quot|apos|nbsp|#0?39);/g, (_, name: string) => ENTITIES[name] ?? ' ')
        .replaceAll(/<(?:br|\/?p|\/?li|\/?div|\/?ul)\b[^>]{0,500}>/gi, '\n')
        .replaceAll(/<[^>]{0,500}>/g, '')
    : text
  return untagged
    .split('\n')
    .map((line) => collapse(line))
    .filter((line) => line !== '')
    .join('\n')
}
