import type { PageType } from '../../document.ts'
import type { Element } from '../dom/element.ts'
import type { Page } from '../facts/page.ts'
import { readBlocks, type Block } from './blocks.ts'
import { isBoilerplate, type Content } from './boilerplate.ts'
import { readPosts } from './forum.ts'
import { readToldText } from './told-text.ts'
import { findContainer, weigh, type Weights } from './container.ts'

/** What share of the text the narrower place must hold, by page type: an article is one place, a shop's front page is many. */
const SHARE: Record<PageType, number> = {
  article: 0.7,
  forum: 0.85,
  product: 0.75,
  listing: 0.85,
  documentation: 0.8,
  service: 0.9,
  home: 0.9,
  other: 0.85,
}

export type MainText = {
  /** Paragraphs parted by \n. */
  text: string
  /** Does this element stand in the main text's place, outside its frames? */
  isMain: (element: Element) => boolean
}

/** A reading that finds less than this part of the page's characters outside frames is tried again with weaker rules. */
const POOR = 0.35
/** Where the text outside links is less than this, the page is a list of links. */
const LINKED = 0.45
const POOR_CHARACTERS = 8_000
const POOR_ARTICLE = 2_000
/** In further readings the names of places this large are not believed. */
const LARGE_AGAIN = [0.4, 0.15]

type Reading = MainText & { blocks: Block[]; kept: number; total: number; prose: number }

/** The page's own text: what it shows and, before that, what only its linked data tells. */
export function readMainText(page: Page, type: PageType): MainText {
  const shown = readShownText(page, type)
  const told = type === 'listing' ? undefined : readToldText(page, type, shown.text)
  return { text: told === undefined ? shown.text : `${told}\n${shown.text}`.trim(), isMain: shown.isMain }
}

/** By the rules of the page's type; where they leave next to nothing, by weaker ones. */
function readShownText(page: Page, type: PageType): MainText {
  const body = page.tree.elements.find((element) => element.name === 'body') ?? page.tree.root
  const all = readShown(body)
  const weights = weigh(all, page.tree.elements.length)
  const around = { page, body, all, weights }
  const first = readBy(around, type)
  const posts = type === 'forum' ? readPosts(page, first.blocks, first.prose) : undefined
  if (posts !== undefined) return { text: posts.join('\n'), isMain: first.isMain }
  const prose = weights.prose[body.order] ?? 0
  let best = first
  for (const large of LARGE_AGAIN) {
    if (best.kept >= POOR * prose) break
    const again = readBy(around, type, large)
    if (again.kept > 2 * best.kept) best = again
  }
  const enough = type === 'article' ? POOR_ARTICLE : POOR_CHARACTERS
  if (
    type === 'listing' ||
    type === 'home' ||
    type === 'product' ||
    best.kept > enough ||
    best.kept > LINKED * best.total
  )
    return best
  // Hardly any text outside links: the links are the text.
  const list = readBy(around, 'listing')
  return list.kept > 1.6 * best.kept ? list : best
}

type Around = { page: Page; body: Element; all: Block[]; weights: Weights }

function readBy({ page, body, all, weights }: Around, type: PageType, large?: number): Reading {
  const { length } = page.tree.elements
  const isFrame = frameTest({ elements: page.tree.elements, weights, body }, (element, content) =>
    isBoilerplate(element, type, content, large),
  )
  const blocks = all.filter((block) => !isFrame(block.element))
  const own = weigh(blocks, length)
  const isList = type === 'listing' || type === 'home'
  const container = findContainer(body, isList ? own.characters : own.prose, SHARE[type])
  const isMain = (element: Element): boolean => container.contains(element) && !isFrame(element)
  const inside = blocks.filter((block) => container.contains(block.element))
  const kept = isList ? inside : withoutLinkRuns(inside)
  return {
    text: kept.map((block) => block.text).join('\n'),
    isMain,
    blocks,
    kept: kept.reduce((sum, block) => sum + block.text.length, 0),
    total: own.characters[body.order] ?? 0,
    prose: own.prose[body.order] ?? 0,
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

/** Prose of all places of one name: a name that most of the page bears is no frame's. */
function proseByName(elements: Element[], weights: Weights): Map<string, number> {
  const named = new Map<string, number>()
  for (const { marks, order } of elements) {
    const prose = weights.prose[order] ?? 0
    if (prose > 0 && marks !== ' ') named.set(marks, (named.get(marks) ?? 0) + prose)
  }
  return named
}

/** Remembers for each element whether it or anything around it is boilerplate. */
function frameTest(
  { elements, weights, body }: { elements: Element[]; weights: Weights; body: Element },
  holds: (element: Element, content: Content) => boolean,
): (element: Element) => boolean {
  const known = new Int8Array(weights.prose.length)
  const total = Math.max(1, weights.prose[body.order] ?? 0)
  const named = proseByName(elements, weights)
  const test = (element: Element): boolean => {
    const seen = known[element.order]
    if (seen !== 0) return seen === 1
    const prose = weights.prose[element.order] ?? 0
    const content = {
      share: prose / total,
      namedShare: (named.get(element.marks) ?? 0) / total,
      prose,
      characters: weights.characters[element.order] ?? 0,
    }
    const found = (element.parent !== undefined && test(element.parent)) || holds(element, content)
    known[element.order] = found ? 1 : -1
    return found
  }
  return test
}

/** So many lines of links one after another are a list that leads elsewhere; fewer belong to the text around them. */
const RUN_MIN = 3

function withoutLinkRuns(blocks: Block[]): Block[] {
  const kept: Block[] = []
  let run: Block[] = []
  for (const block of blocks) {
    if (isLinks(block)) {
      run.push(block)
      continue
    }
    if (run.length < RUN_MIN) kept.push(...run)
    run = []
    kept.push(block)
  }
  return run.length < RUN_MIN && kept.length > 0 ? [...kept, ...run] : kept
}

function isLinks(block: Block): boolean {
  if (/^h[1-6]$/.test(block.element.name)) return false
  return block.linkCharacters / block.text.length >= 0.6 && block.text.length <= 200
}
