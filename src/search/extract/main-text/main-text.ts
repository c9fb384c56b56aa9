import type { PageType } from '../../document.ts'
import type { Element } from '../dom/element.ts'
import type { Page } from '../facts/page.ts'
import { readBlocks, type Block } from './blocks.ts'
import { isBoilerplate } from './boilerplate.ts'
import { readPosts } from './forum.ts'
import { findContainer, weighProse } from './container.ts'

/** What share of the text the narrower place must hold, by page type: an article is one place, a shop's front page is many. */
const SHARE: Record<PageType, number> = {
  article: 0.6,
  forum: 0.85,
  product: 0.75,
  listing: 0.85,
  documentation: 0.7,
  service: 0.9,
  home: 0.9,
  other: 0.75,
}

export type MainText = {
  /** Paragraphs parted by \n. */
  text: string
  /** Does this element stand in the main text's place, outside its frames? */
  isMain: (element: Element) => boolean
}

/** The page's own text, by the rules of its type. */
export function readMainText(page: Page, type: PageType): MainText {
  const { tree } = page
  const body = tree.elements.find((element) => element.name === 'body') ?? tree.root
  const all = readShown(body)
  const weight = weighProse(all, tree.elements.length)
  const isFrame = frameTest(weight, weight[body.order] ?? 0, type)
  const blocks = all.filter((block) => !isFrame(block.element))
  const container = findContainer(body, weighProse(blocks, tree.elements.length), SHARE[type])
  const isMain = (element: Element): boolean => container.contains(element) && !isFrame(element)
  const total = blocks.reduce((sum, block) => sum + block.text.length, 0)
  const posts = type === 'forum' ? readPosts(page, blocks, total) : undefined
  if (posts !== undefined) return { text: posts.join('\n'), isMain }
  const kept = blocks.filter((block) => container.contains(block.element) && isText(block, type))
  return {
    text: kept.map((block) => block.text).join('\n'),
    isMain,
  }
}

/** A page that scripts would fill shows its text in `noscript`. */
function readShown(body: Element): Block[] {
  const shown = readBlocks(body, false)
  if (lengthOf(shown) > 600) return shown
  const all = readBlocks(body, true)
  return lengthOf(all) > 2 * lengthOf(shown) + 200 ? all : shown
}

function lengthOf(blocks: Block[]): number {
  return blocks.reduce((sum, block) => sum + block.text.length - block.linkCharacters, 0)
}

/** Remembers for each element whether it or anything around it is boilerplate. */
function frameTest(weight: Float64Array, total: number, type: PageType): (element: Element) => boolean {
  const known = new Int8Array(weight.length)
  const test = (element: Element): boolean => {
    const seen = known[element.order]
    if (seen !== 0) return seen === 1
    const share = (weight[element.order] ?? 0) / Math.max(1, total)
    const found = (element.parent !== undefined && test(element.parent)) || isBoilerplate(element, type, share)
    known[element.order] = found ? 1 : -1
    return found
  }
  return test
}

function isText(block: Block, type: PageType): boolean {
  const density = block.linkCharacters / block.text.length
  return type === 'listing' || density < 0.6 || block.text.length > 200
}
