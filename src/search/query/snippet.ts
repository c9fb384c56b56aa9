import type { Place } from './find-words.ts'

export const SNIPPET_MIN = 150
export const SNIPPET_MAX = 250
/** A sentence's beginning is sought this far before the first word found. */
const LEAD_MAX = 60
const CUT = '…'
/** So far around the place is looked at. */
const NEAR = 700

/**
 * 150 to 250 characters around the words of the query, plain text on one line; the whole text where it is shorter. Begins with a
 * sentence where one begins near, and never in the middle of a word that is written with spaces.
 */
export function makeSnippet(text: string, places: Place[]): string {
  const at = bestPlace(places)
  if (text.length <= 2 * NEAR) return cutSnippet(text, at)
  const from = Math.max(0, (at ?? 0) - NEAR)
  const snippet = cutSnippet(text.slice(from, from + 2 * NEAR), at === undefined ? undefined : at - from)
  // Little but white space stood there.
  return snippet.length < SNIPPET_MIN ? cutSnippet(text, at) : snippet
}

function cutSnippet(text: string, at: number | undefined): string {
  const line = text.replaceAll(/\s/g, ' ')
  const whole = oneLine(line)
  if (whole.length <= SNIPPET_MAX) return whole
  let start = at === undefined ? 0 : beginNear(line, at)
  let end = Math.min(line.length, start + SNIPPET_MAX)
  for (;;) {
    const shown = dress(line, start, end)
    if (shown.length > SNIPPET_MAX) end = cutBack(line, start, end - (shown.length - SNIPPET_MAX))
    else if (shown.length >= SNIPPET_MIN || (start === 0 && end >= line.length)) return shown
    else if (end < line.length) end = Math.min(line.length, end + SNIPPET_MIN)
    else start = wordFrom(line, Math.max(0, start - (SNIPPET_MIN + LEAD_MAX - shown.length)))
  }
}

/** Where the window begins that holds most different words, then most words; the earliest of equals. Undefined without any. */
function bestPlace(places: Place[]): number | undefined {
  let best: number | undefined
  let bestWorth = 0
  for (const [i, first] of places.entries()) {
    const words = new Set<number>()
    let after = i
    for (; after < places.length; after++) {
      const place = places[after]
      if (place === undefined || place.end > first.start + SNIPPET_MAX - LEAD_MAX) break
      words.add(place.word)
    }
    const worth = words.size * 10 + Math.min(after - i, 9)
    if (worth > bestWorth) [best, bestWorth] = [first.start, worth]
  }
  return best
}

function beginNear(line: string, at: number): number {
  const from = Math.max(0, at - LEAD_MAX)
  const before = line.slice(from, at)
  const sentence = [...before.matchAll(/[.!?…]["'”’)\]]?\s+|[。！？]["”’」』）]?/gu)].at(-1)
  if (sentence !== undefined) return from + sentence.index + sentence[0].length
  return wordFrom(line, from)
}

/** The beginning of the next word, if one is near. */
function wordFrom(line: string, from: number): number {
  if (from === 0) return 0
  const space = line.slice(from, from + LEAD_MAX / 2).indexOf(' ')
  const unit = line.charCodeAt(from)
  return space >= 0 ? from + space + 1 : unit >= 0xdc00 && unit <= 0xdfff ? from - 1 : from
}

function dress(line: string, start: number, end: number): string {
  const stop = end >= line.length ? line.length : cutBack(line, start, end)
  const before =
    start === 0 || /[.!?…。！？]["'”’」』）)\]]?\s*$/u.test(line.slice(Math.max(0, start - 8), start)) ? '' : CUT
  return before + oneLine(line.slice(start, stop)) + (stop >= line.length ? '' : CUT)
}

/** Back to the end of a word, if one is near, and never between the halves of a character. */
function cutBack(line: string, start: number, end: number): number {
  const space = line.lastIndexOf(' ', end)
  const stop = space > start && end - space < 30 ? space : end
  const unit = line.charCodeAt(stop)
  return unit >= 0xdc00 && unit <= 0xdfff ? stop - 1 : stop
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
