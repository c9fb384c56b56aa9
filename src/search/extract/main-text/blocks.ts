import type { Element } from '../dom/element.ts'
import { BLOCKS } from '../dom/html-rules.ts'
import { collapse } from '../dom/text.ts'

/** One paragraph as a reader sees it: the text between two breaks. */
export type Block = {
  text: string
  /** The block element it stands in. */
  element: Element
  /** Characters that stand in links. */
  linkCharacters: number
  links: number
}

/** Elements that hold no prose in any kind of page. */
const SILENT = new Set(
  'script select option button textarea input canvas iframe object audio video head datalist map dialog menu'.split(
    ' ',
  ),
)

/** All paragraphs below `root` in document order. */
export function readBlocks(root: Element, noscript: boolean): Block[] {
  const blocks: Block[] = []
  let parts: string[] = []
  let linkCharacters = 0
  let links = 0
  const flush = (element: Element): void => {
    if (parts.length > 0) {
      const text = collapse(parts.join(''))
      if (text !== '') blocks.push({ text, element, linkCharacters: Math.min(linkCharacters, text.length), links })
    }
    parts = []
    linkCharacters = 0
    links = 0
  }
  const walk = (at: Element, block: Element, inLink: boolean): void => {
    for (const child of at.children) {
      if (typeof child === 'string') {
        parts.push(child)
        if (inLink) linkCharacters += collapse(child).length
        continue
      }
      if (child.name === 'br') {
        // One break is a new line of the same paragraph in meaning; blocks are what lists and tables are read by.
        flush(block)
        continue
      }
      if (SILENT.has(child.name) || (child.name === 'noscript' && !noscript)) continue
      const link = child.name === 'a' && child.attributes['href'] !== undefined
      if (link) links++
      if (!BLOCKS.has(child.name)) {
        walk(child, block, inLink || link)
      } else if (isCell(child)) {
        parts.push(' ')
        walk(child, block, inLink)
        parts.push(' ')
      } else {
        flush(block)
        walk(child, child, inLink)
        flush(child)
      }
    }
  }
  walk(root, root, false)
  flush(root)
  return blocks
}

/** A cell of a data table stands beside the others of its row; one that holds blocks of its own is a layout table's. */
function isCell(element: Element): boolean {
  if (element.name !== 'td' && element.name !== 'th') return false
  return element.children.every((child) => typeof child === 'string' || !BLOCKS.has(child.name) || child.name === 'br')
}
