import type { PageType } from '../../document.ts'
import { isOfType, plain, type Thing } from '../facts/linked-data.ts'
import { ARTICLE_TYPES, PRODUCT_TYPES, thingsOf, type Page } from '../facts/page.ts'

const CHARACTERS_MIN = 80
/** So much of it must be missing in what the page shows. */
const MISSING_MIN = 0.5

/**
 * Text that the page tells in its linked data and does not show: a product's description that scripts would fold out, an article's body
 * that they would draw. Undefined where `shown` has most of its words.
 */
export function readToldText(page: Page, type: PageType, shown: string): string | undefined {
  const told = thingsOf(page)
    .map((thing) => toldBy(thing, type))
    .filter((text) => text !== undefined)
    .toSorted((a, b) => b.length - a.length)[0]
  if (told === undefined || told.length < CHARACTERS_MIN) return undefined
  const known = new Set(wordsOf(shown))
  const words = wordsOf(told)
  const missing = words.filter((word) => !known.has(word)).length
  return missing > MISSING_MIN * words.length ? told : undefined
}

function toldBy(thing: Thing, type: PageType): string | undefined {
  const isProduct = isOfType(thing, PRODUCT_TYPES)
  if (!isProduct && !(type !== 'product' && isOfType(thing, ARTICLE_TYPES))) return undefined
  const value = isProduct ? thing['description'] : thing['articleBody']
  return typeof value === 'string' ? plain(value.slice(0, 200_000)) : undefined
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
