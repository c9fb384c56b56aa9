import { textOf } from '../dom/text.ts'
import { metaOf } from './head.ts'
import { isOfType, textValue } from './linked-data.ts'
import { ARTICLE_TYPES, FORUM_TYPES, thingsOf, type Page } from './page.ts'

const BY =
  /^(?:by|written by|posted by|author:?|von|par|por|di|door|av|af|автор:?|作者[:：]?|文\s*[/／]|著者[:：]?|글)\s+/i
const MARKS = /(?:^|[\s_-])(?:author(?:-?name)?|byline(?:-?name)?|by-?author|posted-?by|writer|contributor)(?:$|[\s_-])/

/** Who wrote the page, as it says itself; several names are joined by commas. */
export function readAuthor(page: Page): string | undefined {
  const things = thingsOf(page).filter((thing) => isOfType(thing, ARTICLE_TYPES) || isOfType(thing, FORUM_TYPES))
  for (const thing of things) {
    const name = namesOf(thing['author'] ?? thing['creator'])
    if (name !== undefined) return name
  }
  return (
    clean(
      metaOf(
        page.head,
        'author',
        'article:author',
        'parsely-author',
        'sailthru.author',
        'dc.creator',
        'citation_author',
        'byl',
      ),
    ) ?? shown(page)
  )
}

function namesOf(value: unknown): string | undefined {
  const names = (Array.isArray(value) ? value.slice(0, 5) : [value]).map((item) => clean(textValue(item, 100)))
  return names.filter((name) => name !== undefined).join(', ') || undefined
}

function shown(page: Page): string | undefined {
  for (const element of page.tree.elements) {
    const { rel, itemprop } = element.attributes
    const says = rel?.includes('author') || itemprop === 'author' || MARKS.test(element.marks)
    if (!says || element.name === 'meta' || element.name === 'link' || element.last - element.order > 12) continue
    const name = clean(textOf(element, 120))
    if (name !== undefined) return name
  }
  return undefined
}

/** A name has few words, no address and no figures. */
function clean(text: string | undefined): string | undefined {
  if (
    text === undefined ||
    /https?:|@|\d{3}|^(?:admin|administrator|author|editor|staff|unknown|by|guest)$/i.test(text.trim())
  )
    return undefined
  const name = text
    .replace(BY, '')
    .replace(/\s*[|•·,–-]\s*(?:\d|updated|published|posted|on\b).*$/i, '')
    .replace(/^[\s:,]+|[\s:,]+$/g, '')
    .trim()
  const words = name.split(/\s+/).length
  return name.length >= 2 && name.length <= 80 && words <= 8 ? name : undefined
}
