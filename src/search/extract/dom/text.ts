import type { Element } from './element.ts'
import { BLOCKS } from './html-rules.ts'

/** All text inside, white space collapsed, at most `limit` characters: titles, captions, anchors. */
export function textOf(element: Element, limit = 2_000): string {
  const parts: string[] = []
  let room = limit * 2
  const walk = (at: Element): void => {
    for (const child of at.children) {
      if (room <= 0) return
      if (typeof child === 'string') {
        parts.push(child.length > room ? child.slice(0, room) : child)
        room -= child.length
      } else if (child.name !== 'script' && child.name !== 'noscript') {
        const apart = child.name === 'br' || BLOCKS.has(child.name)
        if (apart) parts.push(' ')
        walk(child)
        if (apart) parts.push(' ')
      }
    }
  }
  walk(element)
  return collapse(parts.join('')).slice(0, limit)
}

/** The text of a heading, without the sign that links to it. */
export function headingText(element: Element, limit: number): string {
  return textOf(element, limit).replace(/(?:\s*[¶§🔗]|\s#)$/u, '')
}

/** Runs of white space and invisible marks become one space; the ends are trimmed. */
export function collapse(text: string): string {
  return text.replaceAll(/[\s\u00a0\u200b\u2060\ufeff]+/g, ' ').trim()
}
