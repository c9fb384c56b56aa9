import type { PageDocument } from '../../src/search/document.ts'
import { makePage } from './pages.ts'

/** Addresses go round, so that most changes replace a page. */
const ADDRESSES = 150

export type Change = { url: string; page: PageDocument | undefined }

/** The change of this number: a page to keep, or one to remove. */
export function changeAt(change: number): Change {
  const number = (change * 7) % ADDRESSES
  const url = `https://h${number % 5}.test/${number}`
  if (change % 11 === 5) return { url, page: undefined }
  const picture = { url: `${url}.png`, name: `picture ${change}`, context: '', prominence: 1 }
  const target = `https://h0.test/${(number * 3) % ADDRESSES}`
  const link = { url: target, anchor: `anchor${change % 9}`, nofollow: false, navigation: false }
  const text = `Word number${number} change${change}.`
  return { url, page: makePage(url, text, { images: [picture], links: [link] }) }
}

/** URL and text of what is left after so many changes, in the order of the URLs. */
export function pagesAfter(changes: number): [string, string][] {
  const left = new Map<string, string>()
  for (let change = 0; change < changes; change++) {
    const { url, page } = changeAt(change)
    if (page === undefined) left.delete(url)
    else left.set(url, page.text)
  }
  return [...left].sort(([a], [b]) => (a < b ? -1 : 1))
}
