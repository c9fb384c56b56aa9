/**
 * `./unmask bench search`: ranking, indexing and answering, beside SQLite FTS5.
 *   --data DIR       folder of Cranfield (cran.all.1400.xml, cran.qry.xml, cranqrel.trec.txt): nDCG@10
 *   --pages DIR      folder of HTML files, one host in each folder below it: speed, and known pages found again
 *   --pages-max N    so many pages of it (default all)
 *   --work DIR       extracted pages and the index stay there (default DIR of --pages with "-work" behind it)
 *   --answers        over the index that the last run left in --work: answers only
 *   --json FILE      write the figures (default bench/results/search.json)
 * nDCG@10: every listed pair counts 1, discount log2, queries numbered by their place. Answers hold snippets, summaries and all three verticals.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { DocumentsReader } from '../src/search/documents/documents-reader.ts'
import { askPages, documentsPathOf, openSearcher, rankLinks } from '../test/support/local-search.ts'
import { loadCranfield, measureFts5, measureProduct } from './search/cranfield.ts'
import { measureIndexing, measureRebuild, sizeOf } from './search/indexing.ts'
import { measureKnownItems } from './search/known-items.ts'
import { measureBusy, measureQuiet, measureThroughput } from './search/latency.ts'
import { extractPages } from './search/load-pages.ts'
import { sampleQueries } from './search/sample-queries.ts'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    pages: { type: 'string' },
    'pages-max': { type: 'string', default: 'Infinity' },
    work: { type: 'string' },
    answers: { type: 'boolean', default: false },
    json: { type: 'string', default: 'bench/results/search.json' },
  },
})
if (values.data === undefined && values.pages === undefined) {
  process.stderr.write('bench search needs --data DIR, --pages DIR or both\n')
  process.exit(2)
}

type Figures = Record<string, unknown>
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const tell = (name: string, figures: unknown): void => say(`${name.padEnd(34)} ${JSON.stringify(figures)}`)

function round(score: number): number {
  return Math.round(score * 10_000) / 10_000
}

async function measureRanking(folder: string): Promise<Figures> {
  const collection = loadCranfield(folder)
  const ndcg = {
    tantivy: round(await measureProduct(collection, 'tantivy')),
    sqlite: round(await measureProduct(collection, 'sqlite')),
    fts5Porter: round(measureFts5(collection)),
  }
  tell('Cranfield nDCG@10', ndcg)
  return { queries: collection.queries.length, pages: collection.docs.length, ndcg }
}

async function measureAgain(work: string, before: unknown): Promise<Figures> {
  const data = join(work, 'search')
  const documents = new DocumentsReader(documentsPathOf(data))
  const answers = await measureAnswers(data, documents)
  documents.close()
  return { ...(before as Figures), ...answers }
}

async function measurePages(folder: string, work: string): Promise<Figures> {
  const file = join(work, 'pages.jsonl')
  extractPages(folder, file, say)
  const data = join(work, 'search')
  rmSync(data, { recursive: true, force: true })
  const indexing = await measureIndexing(file, data, 'tantivy', Number(values['pages-max']))
  tell('keep and index (tantivy)', indexing)
  const began = performance.now()
  rankLinks(data)
  const linksMs = Math.round(performance.now() - began)
  const again = await measureRebuild(data, 'tantivy')
  const sqlite = await measureRebuild(data, 'sqlite')
  tell('analyse and index (sqlite)', sqlite)
  const documents = new DocumentsReader(documentsPathOf(data))
  const answers = await measureAnswers(data, documents)
  const languages = documents.all('SELECT language, count(*) AS pages FROM pages GROUP BY 1 ORDER BY 2 DESC LIMIT 12')
  documents.close()
  const told = Object.fromEntries(languages.map((row) => [String(row['language']), Number(row['pages'])]))
  const documentsBytes = sizeOf(documentsPathOf(data))
  return { languages: told, indexing: { ...indexing, linksMs, again, sqlite, documentsBytes }, ...answers }
}

async function measureAnswers(data: string, documents: DocumentsReader): Promise<Figures> {
  const queries = [1, 2, 3].flatMap((words) => sampleQueries(documents, words, 400))
  const searcher = openSearcher(data, 'tantivy')
  const quiet = measureQuiet(searcher, queries)
  tell('1 to 3 words, quiet (tantivy)', quiet)
  const byWords = [0, 1, 2].map((i) => measureQuiet(searcher, queries.slice(i * 400, i * 400 + 400)))
  const peer = openSearcher(data, 'sqlite')
  const sqlite = measureQuiet(peer, queries)
  tell('1 to 3 words, quiet (sqlite)', sqlite)
  const slowest = queries
    .map((query) => ({ query, took: askPages(searcher, query).tookMs }))
    .toSorted((a, b) => b.took - a.took)
  say(
    `slowest: ${slowest
      .slice(0, 5)
      .map(({ query, took }) => `${query} ${took.toFixed(1)} ms`)
      .join(', ')}`,
  )
  const known = { tantivy: measureKnownItems(searcher, documents), sqlite: measureKnownItems(peer, documents) }
  tell('known pages, MRR', known)
  peer.close()
  const throughput = await measureThroughput(data, 'tantivy', queries, 2)
  tell('throughput', throughput)
  const busy = await measureBusy(searcher, queries, { folder: data, engine: 'tantivy' })
  tell('1 to 3 words, a writer indexes', busy)
  searcher.close()
  return { latency: { quiet, byWords, busy, sqlite }, throughput, known }
}

const before = existsSync(values.json) ? (JSON.parse(readFileSync(values.json, 'utf8')) as Figures) : {}
const result: Figures = {
  ...before,
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  node: process.version,
  load: loadavg()[0],
}
if (values.data !== undefined) result['ranking'] = await measureRanking(values.data)
if (values.pages !== undefined) {
  const work = values.work ?? `${values.pages.replace(/\/$/, '')}-work`
  result['pages'] = values.answers ? await measureAgain(work, before['pages']) : await measurePages(values.pages, work)
}
mkdirSync(dirname(values.json), { recursive: true })
writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
say(`written to ${values.json}`)
