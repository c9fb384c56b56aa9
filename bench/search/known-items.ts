import type { DocumentsReader, PageRow } from '../../src/search/documents/documents-reader.ts'
import type { Searcher } from '../../src/search/query/searcher.ts'
import { differingBits } from '../../src/search/text/differing-bits.ts'
import { analyse } from '../../src/search/text/analyse.ts'
import { askPages } from '../../test/support/local-search.ts'
import { seededRandom } from './random.ts'

const SAMPLE = 500
const DEPTH = 50
const SAME_BITS_MAX = 3
const WORDS = 8

/** `oneOnly`: of the middles, those that stand so in one page alone. */
export type KnownItems = {
  titles: number
  middles: number
  sample: number
  oneOnly: { middles: number; sample: number }
}

/** Mean reciprocal rank of a page asked for by its title, which no other page has, and by eight words from the middle of its text. */
export function measureKnownItems(searcher: Searcher, documents: DocumentsReader): KnownItems {
  const random = seededRandom(7)
  const unique = documents.all(
    "SELECT min(id) AS id FROM pages WHERE title <> '' GROUP BY lower(title) HAVING count(*) = 1",
  )
  const titles = shuffle(
    unique.map((row) => Number(row['id'])),
    random,
  ).flatMap((id) => documents.findPage(id) ?? [])
  const wordy = titles
    .filter(({ title }) => title.trim().split(/\s+/).length >= 2 || title.length >= 6)
    .slice(0, SAMPLE)
  const all = documents.all('SELECT id FROM contents').map((row) => Number(row['id']))
  const middles = shuffle(all, random)
    .slice(0, SAMPLE * 2)
    .flatMap((id) => {
      const page = documents.findPage(id)
      const query = page === undefined ? undefined : middleOf(documents, page)
      return page === undefined || query === undefined ? [] : [{ page, query }]
    })
    .slice(0, SAMPLE)
  const ask = (page: PageRow, query: string): number => reciprocalRank(searcher, documents, page, query)
  const found = middles.map(({ page, query }) => ({ rank: ask(page, query), one: holders(searcher, query) === 1 }))
  const oneOnly = found.filter(({ one }) => one).map(({ rank }) => rank)
  return {
    titles: mean(wordy.map((page) => ask(page, plain(page.title)))),
    middles: mean(found.map(({ rank }) => rank)),
    sample: SAMPLE,
    oneOnly: { middles: mean(oneOnly), sample: oneOnly.length },
  }
}

/** How many pages hold these words one after the other. */
function holders(searcher: Searcher, words: string): number {
  return askPages(searcher, `"${words}"`).pages.total
}

function middleOf(documents: DocumentsReader, page: PageRow): string | undefined {
  const text = documents.findBody(page.id)?.text ?? ''
  const tokens = analyse(text, page.language)
  if (tokens.length < 100) return undefined
  const first = Math.floor(tokens.length / 2)
  return plain(text.slice(tokens[first]?.start, tokens[first + WORDS - 1]?.end))
}

/** Without what the language of queries reads as a command. */
function plain(text: string): string {
  return text.replaceAll(/["“”„«»]|(?<=^|\s)-+|\b(?:site|intitle|filetype|lang):/giu, ' ')
}

/** Nearly the same page counts as found. */
function reciprocalRank(searcher: Searcher, documents: DocumentsReader, page: PageRow, query: string): number {
  const { results } = askPages(searcher, query, { count: DEPTH }).pages
  const place = results.findIndex(({ url }) => {
    const found = documents.findByUrl(url)
    return found !== undefined && (found.id === page.id || differingBits(found.simhash, page.simhash) <= SAME_BITS_MAX)
  })
  return place < 0 ? 0 : 1 / (place + 1)
}

function shuffle<Value>(values: Value[], random: () => number): Value[] {
  return values
    .map((value) => ({ value, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value)
}

function mean(numbers: number[]): number {
  const sum = numbers.reduce((total, each) => total + each, 0)
  return Math.round((sum / Math.max(1, numbers.length)) * 1_000) / 1_000
}
