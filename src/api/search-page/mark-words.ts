import { escape } from '../pages/page.ts'

/** Operators of the query language are not words that stand in a text. */
const OPERATOR = /(?:^|\s)-?(?:site|intitle|filetype|lang):\S*|(?:^|\s)-\S+/gi
const WORD = /[\p{L}\p{N}]+/gu

/** Plain text as HTML, with the words of the query marked where a word of the text begins with them. */
export function markWords(text: string, query: string): string {
  const asked = [...query.replaceAll(OPERATOR, ' ').toLowerCase().matchAll(WORD)].map(([word]) => word)
  const words = new Set(asked.filter((word) => word.length > 1 || /[^\p{ASCII}]/u.test(word)).slice(0, 20))
  let html = ''
  let at = 0
  for (const found of text.matchAll(WORD)) {
    const marked = markOne(found[0], words)
    if (marked === undefined) continue
    html += `${escape(text.slice(at, found.index))}${marked}`
    at = found.index + found[0].length
  }
  return html + escape(text.slice(at))
}

/** Scripts without spaces run several words together: there the word may stand anywhere in the run. */
function markOne(run: string, words: ReadonlySet<string>): string | undefined {
  const low = run.toLowerCase()
  for (const word of words) {
    const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word)
    const at = spaceless ? low.indexOf(word) : low === word || isForm(low, word) ? 0 : -1
    if (at === -1 || low.length !== run.length) continue
    const end = spaceless ? at + word.length : run.length
    return `${escape(run.slice(0, at))}<mark>${escape(run.slice(at, end))}</mark>${escape(run.slice(end))}`
  }
  return undefined
}

/** "models" for "model", "crawling" for "crawl": an ending of up to three letters more or less. */
function isForm(low: string, word: string): boolean {
  const stem = word.length > 5 ? word.slice(0, -1) : word
  return word.length > 3 && low.startsWith(stem) && low.length - word.length <= 3
}
