import type { DocumentsReader } from '../../src/search/documents/documents-reader.ts'
import { isStopWord } from '../../src/search/query/stop-words.ts'
import { analyse } from '../../src/search/text/analyse.ts'
import { seededRandom } from './random.ts'

/** `words` words that stand together in a random page, none of them a joining word; common words come as often as they do in texts. */
export function sampleQueries(documents: DocumentsReader, words: number, count: number): string[] {
  const random = seededRandom(words)
  const ids = documents.all('SELECT id FROM contents').map((row) => Number(row['id']))
  const queries: string[] = []
  while (queries.length < count) {
    const id = ids[Math.floor(random() * ids.length)] ?? 0
    const query = pickWords(documents, id, words, random)
    if (query !== undefined) queries.push(query)
  }
  return queries
}

function pickWords(documents: DocumentsReader, id: number, words: number, random: () => number): string | undefined {
  const page = documents.findPage(id)
  const text = (random() < 0.3 ? page?.title : documents.findBody(id)?.text.slice(0, 5_000)) ?? ''
  const tokens = analyse(text, page?.language).map(({ start, end }) => text.slice(start, end))
  const telling = tokens.filter((word) => !isStopWord(word) && /\p{L}/u.test(word) && word.length < 30)
  if (telling.length < words) return undefined
  const first = Math.floor(random() * (telling.length - words + 1))
  return telling.slice(first, first + words).join(' ')
}
