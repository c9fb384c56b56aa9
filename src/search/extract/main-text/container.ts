import type { Element } from '../dom/element.ts'
import type { Block } from './blocks.ts'

/** Characters of prose per element (index: `order`): text outside links, short bits counted less. */
export function weighProse(blocks: Block[], elements: number): Float64Array {
  const weight = new Float64Array(elements)
  for (const block of blocks) {
    const own = proseOf(block)
    if (own === 0) continue
    for (let at: Element | undefined = block.element; at !== undefined; at = at.parent) {
      weight[at.order] = (weight[at.order] ?? 0) + own
    }
  }
  return weight
}

/** Text outside links counts fully from a sentence's length on. */
export function proseOf(block: Block): number {
  const free = block.text.length - block.linkCharacters
  return free < 25 ? free * 0.25 : free
}

/**
 * Goes down from `root` as long as one child holds at least `share` of what its parent holds: ends at the narrowest place that
 * has the text, whatever it is called.
 */
export function findContainer(root: Element, weight: Float64Array, share: number): Element {
  let at = root
  for (;;) {
    const total = weight[at.order] ?? 0
    let best: Element | undefined
    for (const child of at.children) {
      if (typeof child === 'string') continue
      if (best === undefined || (weight[child.order] ?? 0) > (weight[best.order] ?? 0)) best = child
    }
    if (best === undefined || total === 0 || (weight[best.order] ?? 0) < share * total) return at
    at = best
  }
}
