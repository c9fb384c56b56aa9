import { sentences } from '../text/sentences.ts'
import type { Place } from './find-words.ts'
import { oneLine } from './snippet.ts'

export const SUMMARY_MIN = 300
export const SUMMARY_MAX = 1_000
/** Sentences are added until this many characters stand there. */
const ENOUGH = 800
/** A longer text is taken to be longer than a summary, without a look at its white space. */
const SHORT_MAX = 8_000
/** Sentences are sought this far. */
const READ_MAX = 12_000

/**
 * Sentences of the text, in its order: the opening ones and those that hold words of the query; 300 to 1,000 characters, or
 * the whole text where it is shorter than that.
 */
export function makeSummary(text: string, language: string | undefined, places: Place[]): string {
  const whole = text.length > SHORT_MAX ? undefined : oneLine(text)
  if (whole !== undefined && whole.length <= SUMMARY_MAX) return whole
  let next = 0
  const scored = sentences(text.slice(0, READ_MAX), language).map((sentence, order) => {
    const words = new Set<number>()
    for (; next < places.length && (places[next]?.start ?? 0) < sentence.end; next++) words.add(places[next]?.word ?? 0)
    const { length } = sentence.text
    const worth = words.size * 2 + 3 / (1 + order) + (length < 25 ? -1 : 0) + (length > 500 ? -1 : 0)
    return { text: sentence.text, order, worth }
  })
  scored.sort((a, b) => b.worth - a.worth || a.order - b.order)
  const taken: { shown: string; order: number }[] = []
  let length = 0
  for (const sentence of scored) {
    if (length >= ENOUGH) break
    const shown = oneLine(sentence.text)
    if (shown === '' || length + shown.length + 1 > SUMMARY_MAX) continue
    taken.push({ shown, order: sentence.order })
    length += shown.length + 1
  }
  const extract = taken
    .toSorted((a, b) => a.order - b.order)
    .map(({ shown }) => shown)
    .join(' ')
  return extract.length >= SUMMARY_MIN ? extract : cut(whole ?? oneLine(text))
}

function cut(whole: string): string {
  if (whole.length <= SUMMARY_MAX) return whole
  const space = whole.lastIndexOf(' ', SUMMARY_MAX - 1)
  const end = space > SUMMARY_MAX - 100 ? space : SUMMARY_MAX - 1
  const unit = whole.charCodeAt(end)
  return `${whole.slice(0, unit >= 0xdc00 && unit <= 0xdfff ? end - 1 : end)}…`
}
