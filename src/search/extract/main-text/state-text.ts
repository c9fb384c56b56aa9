import { plain } from '../facts/linked-data.ts'

/** Bounds of what is looked at: a page's state may be megabytes of everything. */
const SCRIPT_CHARACTERS_MAX = 3_000_000
const VALUES_MAX = 100_000
const DEPTH_MAX = 40
const TEXT_CHARACTERS_MAX = 200_000
/** Shorter strings are labels, ids and addresses. */
const PROSE_CHARACTERS_MIN = 80
const WORDS_MIN = 10

const SCRIPT = /<script\b[^>]{0,500}\btype\s*=\s*["']?application\/json\b[^>]{0,500}>/gi
const OTHER =
  /cookie|consent|privacy|legal|terms|footer|translation|i18n|locale|message(?:s|Catalog)|css|svg|seo|schema|keyword|config|query|graphql/i

/**
 * Prose that a page carries as JSON for its scripts to draw, in its order: what people see of a page that has no text of its own.
 * Empty where there is none.
 */
export function readStateText(html: string): string {
  const texts = new Set<string>()
  const room = { values: VALUES_MAX, characters: TEXT_CHARACTERS_MAX }
  for (const match of html.matchAll(SCRIPT)) {
    const from = match.index + match[0].length
    const to = html.indexOf('</script', from)
    if (to < 0 || to - from > SCRIPT_CHARACTERS_MAX) continue
    try {
      collect(JSON.parse(html.slice(from, to)), texts, room, 0)
    } catch {
      // What is no JSON draws nothing.
    }
  }
  return [...texts].join('\n')
}

type Room = { values: number; characters: number }

function collect(value: unknown, texts: Set<string>, room: Room, depth: number): void {
  if (--room.values < 0 || room.characters <= 0 || depth > DEPTH_MAX) return
  if (typeof value === 'string') {
    const text = proseOf(value)
    if (text === undefined || texts.has(text)) return
    texts.add(text)
    room.characters -= text.length
  } else if (Array.isArray(value)) {
    for (const inner of value) collect(inner, texts, room, depth + 1)
  } else if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) if (!OTHER.test(key)) collect(inner, texts, room, depth + 1)
  }
}

function proseOf(value: string): string | undefined {
  if (value.length < PROSE_CHARACTERS_MIN || /^(?:https?:|data:|[[{])/.test(value)) return undefined
  const text = plain(value.slice(0, TEXT_CHARACTERS_MAX))
  const spaces = text.split(/\s+/, WORDS_MIN + 1).length
  const isProse =
    spaces > WORDS_MIN || /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}\p{Script=Thai}]{20}/u.test(text)
  return text.length >= PROSE_CHARACTERS_MIN && isProse && !/[{};]\s*[{};]|=>|function\s*\(/.test(text)
    ? text
    : undefined
}
