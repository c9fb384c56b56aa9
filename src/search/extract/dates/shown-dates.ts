import type { PageType } from '../../document.ts'
import type { Element } from '../dom/element.ts'
import { textOf } from '../dom/text.ts'
import type { Page } from '../facts/page.ts'
import type { FoundDate } from './read-dates.ts'

/** How many elements before and behind the heading a date may stand to be its date. */
const BEFORE = 40
const BEHIND = 90
/** So close behind it, a date with nothing else on its line is the one that readers take for the page's. */
const BESIDE = 45
const LINE_CHARACTERS_MAX = 120
/** What may stand on the line besides the date: a writer's name, a label, minutes to read. */
const REST_CHARACTERS_MAX = 60

const PUBLISHED =
  /publish|posted|written|created|released|\bdate\b|\bon\s*$|veröffentlicht|erstellt|publié|publicad|pubblicat|gepubliceerd|publicerad|опубликован|发布|发表|日期|投稿|公開|작성|등록/iu
export const UPDATED =
  /updat|modif|revis|edited|reviewed|aktualisiert|geändert|stand\b|mise? à jour|actualizad|aggiornat|bijgewerkt|обновл|更新|修改|수정/iu
/** Dates of something else: comments, events, offers. */
const OTHER = /repl(?:y|ies)|comment|register|joined|member since|expires?|deadline|copyright|©|event|starts?\b|until/iu

/** 05/06/07 may be three days. */
const SHORT_YEAR = /\d[./]\d{1,2}[./]\d{2}(?!\d)/

type Read = (text: string | undefined, confidence: number, source: string) => FoundDate[]

/** Dates on short lines around the page's heading, as people find them; in a thread, that of the first post. */
export function fromShown(page: Page, type: PageType, read: Read): FoundDate[] {
  const heading = headingOf(page)
  if (heading === undefined) return type === 'forum' ? firstOfThread(page, read) : []
  const found: FoundDate[] = []
  const to = Math.min(page.tree.elements.length, heading.last + BEHIND)
  for (let order = Math.max(0, heading.order - BEFORE); order < to; order++) {
    const element = page.tree.elements[order]
    if (element === undefined || heading.contains(element)) continue
    found.push(...fromLine(element, heading, type, read))
  }
  const alone = found.filter(({ source }) => source === 'shown')
  // Two different dates of equal standing: neither is sure.
  const sure = new Set(alone.map(({ day }) => day)).size === 1
  const more = found.length > 0 ? [] : type === 'forum' ? firstOfThread(page, read) : []
  if (!sure) for (const date of found) date.confidence = Math.min(date.confidence, 0.7)
  return [...found, ...more]
}

/** The heading that says most of the title; a site's logo is often a heading too. */
function headingOf(page: Page): Element | undefined {
  const title = page.head.title.toLowerCase()
  const headings = page.tree.elements.filter(({ name }) => name === 'h1' || name === 'h2').slice(0, 40)
  let best: Element | undefined
  let most = 8
  for (const heading of headings) {
    const text = textOf(heading, 200).toLowerCase()
    const says = title.includes(text) || (title.length > 20 && text.includes(title.slice(0, 40))) ? text.length : 0
    if (says > most) [best, most] = [heading, says]
  }
  return best ?? headings.find(({ name }) => name === 'h1') ?? headings[0]
}

function fromLine(element: Element, heading: Element, type: PageType, read: Read): FoundDate[] {
  const line = lineOf(element)
  if (line === undefined) return []
  const label = `${labelOf(element)} ${line.split(/\d/)[0] ?? ''}`
  const written = `${label} ${element.marks}`
  if (OTHER.test(written)) return []
  if (UPDATED.test(label)) return read(line, SHORT_YEAR.test(line) ? 0.4 : 0.52, 'shown update')
  const beside =
    element.order > heading.order ? element.order - heading.last <= BESIDE : heading.order - element.order <= 12
  const isPage = type === 'article' || type === 'documentation' || type === 'other'
  const confidence = PUBLISHED.test(written) ? 0.78 : 0.68
  return read(
    element.attributes['datetime'] ?? line,
    beside && isPage ? 0.96 : confidence,
    beside ? 'shown' : 'shown afar',
  )
}

/** The text of an element that stands on a line of its own and is hardly more than a date. */
function lineOf(element: Element): string | undefined {
  if (element.last - element.order > 6 || element.name === 'script' || element.name === 'a') return undefined
  if (!element.children.some((child) => typeof child === 'string' && /\d/.test(child))) return undefined
  const line = textOf(element, LINE_CHARACTERS_MAX + 1)
  if (line.length > LINE_CHARACTERS_MAX || !/\d/.test(line)) return undefined
  return line.replaceAll(DATE_LETTERS, '').length <= REST_CHARACTERS_MAX ? line : undefined
}
const DATE_LETTERS = /[\d\s:./,|•·-]+/g

/** The day of the last change, wherever the page tells it: for pages that tell no other day. */
export function fromUpdates(page: Page, read: Read): FoundDate[] {
  for (const element of page.tree.elements) {
    const line = lineOf(element)
    if (line === undefined) continue
    const label = `${labelOf(element)} ${line.split(/\d/)[0] ?? ''}`
    if (!UPDATED.test(label) || OTHER.test(`${label} ${element.marks}`)) continue
    const found = read(line, SHORT_YEAR.test(line) ? 0.4 : 0.5, 'shown update')
    if (found.length > 0) return found
  }
  return []
}

/** `<b>Updated:</b><i>1 May 2025</i>`: the label is what the line begins with. */
function labelOf(element: Element): string {
  const around = element.parent === undefined ? '' : textOf(element.parent, LINE_CHARACTERS_MAX)
  return around.split(/\d/)[0] ?? ''
}

/** The first line of a thread that is a date and hardly anything else. */
function firstOfThread(page: Page, read: Read): FoundDate[] {
  for (const element of page.tree.elements) {
    if (element.name === 'title' || element.last - element.order > 3) continue
    if (!element.children.some((child) => typeof child === 'string' && /\d{2}/.test(child))) continue
    const line = textOf(element, 60)
    if (line.replaceAll(DATE_LETTERS, '').length > 22) continue
    const found = read(line, 0.66, 'first post')
    if (found.length > 0) return found
  }
  return []
}
