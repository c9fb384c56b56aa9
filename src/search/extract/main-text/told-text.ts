import type { PageType } from '../../document.ts'
import { isOfType, plain, type Thing } from '../facts/linked-data.ts'
import { ARTICLE_TYPES, FORUM_TYPES, PRODUCT_TYPES, thingsOf, type Page } from '../facts/page.ts'
import { readStateText } from './state-text.ts'

const CHARACTERS_MIN = 80
/** So much of it must be missing in what the page shows. */
const MISSING_MIN = 0.5
/** A page that shows less is drawn by its scripts, if they have more to draw. */
const SHOWN_CHARACTERS_MIN = 600
const STATE_TIMES = 2

const POST_TYPES: ReadonlySet<string> = new Set([...FORUM_TYPES, 'Answer', 'Comment', 'SocialMediaPosting'])

/**
 * Text that the page tells and does not show: a product's description that scripts would fold out, an article's body or a thread's posts
 * in linked data, and the state that scripts draw an otherwise empty page from. Undefined where `shown` has most of its words.
 */
export function readToldText(page: Page, type: PageType, shown: string): string | undefined {
  const told = type === 'forum' ? postsOf(page) : longest(page, type)
  if (told.length >= CHARACTERS_MIN && isMissing(told, shown)) return told
  if (shown.length >= SHOWN_CHARACTERS_MIN) return undefined
  const state = readStateText(page.html)
  return state.length > STATE_TIMES * shown.length && isMissing(state, shown) ? state : undefined
}

function longest(page: Page, type: PageType): string {
  const texts = thingsOf(page).flatMap((thing) => toldBy(thing, type) ?? [])
  return texts.toSorted((a, b) => b.length - a.length)[0] ?? ''
}

function toldBy(thing: Thing, type: PageType): string | undefined {
  const isProduct = isOfType(thing, PRODUCT_TYPES)
  if (!isProduct && !(type !== 'product' && isOfType(thing, ARTICLE_TYPES))) return undefined
  return textIn(thing, [isProduct ? 'description' : 'articleBody'])
}

/** A question and its answers, a post and its comments, in the order in which they are told. */
function postsOf(page: Page): string {
  const posts = page.linkedData.filter((thing) => isOfType(thing, POST_TYPES))
  return [...new Set(posts.flatMap((post) => textIn(post, ['text', 'articleBody']) ?? []))].join('\n')
}

function textIn(thing: Thing, names: string[]): string | undefined {
  const value = names.map((name) => thing[name]).find((text) => typeof text === 'string')
  return typeof value === 'string' ? plain(value.slice(0, 200_000)) : undefined
}

function isMissing(told: string, shown: string): boolean {
  const known = new Set(wordsOf(shown))
  const words = wordsOf(told)
  return words.filter((word) => !known.has(word)).length > MISSING_MIN * words.length
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
