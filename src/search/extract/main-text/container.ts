import type { Element } from '../dom/element.ts'
import type { Block } from './blocks.ts'

/** Per element (index: `order`): prose, which is text outside links with short bits counted less, and all characters. */
export type Weights = { prose: Float64Array; characters: Float64Array }

export function weigh(blocks: Block[], elements: number): Weights {
  const weights = { prose: new Float64Array(elements), characters: new Float64Array(elements) }
  for (const block of blocks) {
    const own = proseOf(block)
    for (let at: Element | undefined = block.element; at !== undefined; at = at.parent) {
      weights.prose[at.order] = (weights.prose[at.order] ?? 0) + own
      weights.characters[at.order] = (weights.characters[at.order] ?? 0) + block.text.length
    }
  }
  return weights
}

/** Text outside links counts fully from a sentence's length on. */
function proseOf(block: Block): number {
  const free = block.text.length - block.linkCharacters
  return free < 25 ? free * 0.25 : free
}

/** Narrower than these is a piece of a text, not its place. */
const PIECES = new Set('p li td th tr tbody table ul ol dl dd dt pre blockquote figure h1 h2 h3 h4 h5 h6'.split(' '))
/** So many paragraphs of some length side by side are the text itself. */
const PARAGRAPHS_MIN = 3
const PARAGRAPH_CHARACTERS_MIN = 80

/**
 * Goes down from `root` as long as one child holds at least `share` of what its parent holds: ends at the narrowest place that
 * has the text, whatever it is called.
 */
export function findContainer(root: Element, weight: Float64Array, share: number): Element {
  let at = root
  for (;;) {
    const total = weight[at.order] ?? 0
    let best: Element | undefined
    let paragraphs = 0
    for (const child of at.children) {
      if (typeof child === 'string') continue
      const own = weight[child.order] ?? 0
      if (child.name === 'p' && own >= PARAGRAPH_CHARACTERS_MIN) paragraphs++
      if (best === undefined || own > (weight[best.order] ?? 0)) best = child
    }
    if (best === undefined || total === 0 || (weight[best.order] ?? 0) < share * total) return at
    if (paragraphs >= PARAGRAPHS_MIN || PIECES.has(best.name)) return at
    at = best
  }
}
