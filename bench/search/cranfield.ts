import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { PageDocument } from '../../src/search/document.ts'
import type { EngineChoice } from '../../src/search/index/open-engine.ts'
import { askPages, buildIndex, inNewFolder, keepPages, openSearcher } from '../../test/support/local-search.ts'

export type Collection = {
  docs: { id: string; title: string; text: string }[]
  queries: string[]
  /** Document ids that answer query i; every listed pair counts 1. */
  relevant: Set<string>[]
}

const DEPTH = 10

export function loadCranfield(folder: string): Collection {
  const xml = readFileSync(join(folder, 'cran.all.1400.xml'), 'utf8')
  const docs = [...xml.matchAll(/<doc>([\s\S]*?)<\/doc>/g)].map(([, doc = '']) => ({
    id: pick(doc, 'docno'),
    title: pick(doc, 'title'),
    text: pick(doc, 'text'),
  }))
  const tops = readFileSync(join(folder, 'cran.qry.xml'), 'utf8')
  const queries = [...tops.matchAll(/<top>([\s\S]*?)<\/top>/g)].map(([, top = '']) => pick(top, 'title'))
  const relevant = queries.map(() => new Set<string>())
  for (const line of readFileSync(join(folder, 'cranqrel.trec.txt'), 'utf8').split('\n')) {
    const [query, , doc] = line.trim().split(/\s+/)
    if (doc !== undefined) relevant[Number(query) - 1]?.add(doc)
  }
  return { docs, queries, relevant }
}

function pick(xml: string, tag: string): string {
  const text = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(xml)?.[1] ?? ''
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').replaceAll(/\s+/g, ' ').trim()
}

/** Mean nDCG@10 of `answer` over the queries that have an answer. */
export function meanNdcg({ queries, relevant }: Collection, answer: (query: string) => string[]): number {
  const scores = queries.flatMap((query, i) => {
    const wanted = relevant[i] ?? new Set<string>()
    if (wanted.size === 0) return []
    let gain = 0
    for (const [place, id] of answer(query).slice(0, DEPTH).entries())
      if (wanted.has(id)) gain += 1 / Math.log2(place + 2)
    let ideal = 0
    for (let place = 0; place < Math.min(DEPTH, wanted.size); place++) ideal += 1 / Math.log2(place + 2)
    return [gain / ideal]
  })
  return scores.reduce((sum, score) => sum + score, 0) / scores.length
}

/** Each abstract as a page of its own host, so that no host crowds. */
function toPage({ id, title, text }: Collection['docs'][number]): PageDocument {
  const at = Date.UTC(2026, 0, 1)
  const times = { fetchedAt: at, firstSeenAt: at }
  const plain = {
    description: '',
    headings: [],
    links: [],
    images: [],
    videos: [],
    adult: 0,
    noindex: false,
    nofollow: false,
  }
  const kind = {
    contentType: 'text/html',
    pageType: 'article',
    language: 'en',
    simhash: [0, 0] as [number, number],
  } as const
  return { url: `https://d${id}.test/doc/page/${id}`, host: `d${id}.test`, title, text, ...times, ...plain, ...kind }
}

function idOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1)
}

/** The whole product over the collection: parse, match, rank, collapse, show. */
export async function measureProduct(collection: Collection, engine: EngineChoice): Promise<number> {
  return await inNewFolder((folder) => {
    keepPages(
      folder,
      collection.docs.map((doc) => toPage(doc)),
    )
    buildIndex(folder, engine, true)
    const searcher = openSearcher(folder, engine)
    const score = meanNdcg(collection, (query) => askPages(searcher, query).pages.results.map(({ url }) => idOf(url)))
    searcher.close()
    return score
  })
}

/** The peer: FTS5 with its porter stemmer, title 2 to text 1, any of the words. */
export function measureFts5(collection: Collection): number {
  const file = new DatabaseSync(':memory:')
  file.exec(`CREATE VIRTUAL TABLE docs USING fts5(id UNINDEXED, title, text, tokenize = 'porter unicode61')`)
  const add = file.prepare('INSERT INTO docs VALUES (?, ?, ?)')
  for (const { id, title, text } of collection.docs) add.run(id, title, text)
  const ask = file.prepare(`SELECT id FROM docs WHERE docs MATCH ? ORDER BY bm25(docs, 0, 2, 1), rowid LIMIT ${DEPTH}`)
  const score = meanNdcg(collection, (query) => {
    const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])]
    return ask.all(words.map((word) => `"${word}"`).join(' OR ')).map((row) => String(row['id']))
  })
  file.close()
  return score
}
