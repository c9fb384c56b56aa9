/**
 * `./unmask bench extract`: main text, dates and pages per second on labelled pages, beside Readability.js.
 *   --data DIR      folder with html/NNNN.html.gz and ground-truth/NNNN.json (WCXB's form); needed
 *   --part PART     tuning (default), held-out or both; the held-out third must not be looked at while rules are changed
 *   --worst N       list the N pages of the tuning part with the least word F1
 *   --type TYPE     with --worst: of this labelled page type only
 *   --alone         leave Readability.js out
 *   --json FILE     write the figures (default with --part both: bench/results/extract.json)
 * Word F1 counts lower-cased words with multiplicity, a mean over pages. Held out are the pages whose SHA-256 of the id is 0 modulo 3.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { DATE_CONFIDENCE_MIN, type PageDocument } from '../src/search/document.ts'
import { extractPage } from '../src/search/extract/extract-page.ts'
import { analyse } from '../src/search/text/analyse.ts'

type Labels = {
  url: string
  _internal?: { page_type?: { primary?: string } }
  ground_truth: {
    title?: string | null
    author?: string | null
    publish_date?: string | null
    main_content: string
    with?: string[]
    without?: string[]
  }
}
type LabelledPage = { id: string; type: string; html: string; labels: Labels }
type Scored = {
  id: string
  type: string
  guessed: string
  f1: number
  precision: number
  recall: number
  with: number | undefined
  without: number | undefined
  title: boolean | undefined
  date: 'right' | 'wrong' | 'missed' | 'unlabelled' | undefined
}
type Speed = { pagesPerSecond: number; pagesPerCpuSecond: number }

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    part: { type: 'string', default: 'tuning' },
    worst: { type: 'string' },
    type: { type: 'string' },
    alone: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})
if (values.data === undefined) {
  process.stderr.write('bench extract needs --data DIR, the folder with html/ and ground-truth/\n')
  process.exit(2)
}

/** 2026-11-01: no page can be younger, whenever the bench runs. */
const FETCHED_AT = Date.UTC(2026, 10, 1)

function isHeldOut(id: string): boolean {
  return BigInt(`0x${createHash('sha256').update(id).digest('hex')}`) % 3n === 0n
}

function loadPages(folder: string): LabelledPage[] {
  const files = readdirSync(join(folder, 'ground-truth')).toSorted()
  return files.map((file) => {
    const id = basename(file, '.json')
    const labels = JSON.parse(readFileSync(join(folder, 'ground-truth', file), 'utf8')) as Labels
    const html = gunzipSync(readFileSync(join(folder, 'html', `${id}.html.gz`))).toString('utf8')
    return { id, type: labels._internal?.page_type?.primary ?? 'unknown', html, labels }
  })
}

function extract(page: LabelledPage): PageDocument {
  const times = { fetchedAt: FETCHED_AT, firstSeenAt: FETCHED_AT }
  return extractPage({ url: page.labels.url, html: page.html, contentType: 'text/html', headers: {}, ...times })
}

function readabilityText(page: LabelledPage): string {
  // Readability's own types ask for the DOM of a browser, which linkedom's only resembles.
  const document = parseHTML(page.html).document as unknown as ConstructorParameters<typeof Readability>[0]
  return new Readability(document).parse()?.textContent ?? ''
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function total(counts: Map<string, number>): number {
  return [...counts.values()].reduce((sum, n) => sum + n, 0)
}

function compareWords(found: string, wanted: string): { f1: number; precision: number; recall: number } {
  const [a, b] = [countWords(found), countWords(wanted)]
  let common = 0
  for (const [word, n] of a) common += Math.min(n, b.get(word) ?? 0)
  if (total(a) === 0 && total(b) === 0) return { f1: 1, precision: 1, recall: 1 }
  const precision = common / Math.max(1, total(a))
  const recall = common / Math.max(1, total(b))
  return { f1: common === 0 ? 0 : (2 * precision * recall) / (precision + recall), precision, recall }
}

const bare = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

function shareOf(snippets: string[] | undefined, holds: (snippet: string) => boolean): number | undefined {
  return snippets === undefined || snippets.length === 0 ? undefined : snippets.filter(holds).length / snippets.length
}

function judgeDate(found: PageDocument['published'], wanted: string | null | undefined): Scored['date'] {
  const label = /^\d{4}-\d{2}-\d{2}/.exec(wanted ?? '')?.[0]
  const shown = found !== undefined && found.confidence >= DATE_CONFIDENCE_MIN ? found : undefined
  if (label === undefined) return shown === undefined ? undefined : 'unlabelled'
  if (shown === undefined) return 'missed'
  // Labels are days as written; ours is an instant, so the day in its own zone is within half a day of it.
  const days = [0, 8 * 3_600_000, -12 * 3_600_000, 14 * 3_600_000]
  const asWritten = shown.dayOnly ? [8 * 3_600_000] : days
  return asWritten.some((offset) => new Date(shown.at + offset).toISOString().startsWith(label)) ? 'right' : 'wrong'
}

function score(page: LabelledPage, document: PageDocument): Scored {
  const truth = page.labels.ground_truth
  const text = bare(document.text)
  const title = truth.title === undefined || truth.title === null ? undefined : bare(truth.title)
  return {
    id: page.id,
    type: page.type,
    guessed: document.pageType,
    ...compareWords(document.text, truth.main_content),
    with: shareOf(truth.with, (snippet) => text.includes(bare(snippet))),
    without: shareOf(truth.without, (snippet) => !text.includes(bare(snippet))),
    title: title === undefined ? undefined : bare(document.title) === title,
    date: judgeDate(document.published, truth.publish_date),
  }
}

const round = (value: number, digits = 3): number => Number(value.toFixed(digits))

function mean(figures: (number | undefined)[]): number {
  const known = figures.filter((figure) => figure !== undefined)
  return round(known.reduce((sum, figure) => sum + figure, 0) / known.length)
}

function summarise(scored: Scored[]): Record<string, unknown> {
  const types = [...new Set(scored.map(({ type }) => type))].toSorted()
  const byType = types.map((type) => {
    const of = scored.filter((page) => page.type === type)
    const guessed = of.filter((page) => page.guessed === type || (type === 'collection' && page.guessed === 'listing'))
    const words = {
      f1: mean(of.map(({ f1 }) => f1)),
      precision: mean(of.map(({ precision }) => precision)),
      recall: mean(of.map(({ recall }) => recall)),
    }
    return [type, { pages: of.length, ...words, typeTold: round(guessed.length / of.length) }]
  })
  const dates = (kind: Scored['date']): number => scored.filter(({ date }) => date === kind).length
  const labelled = dates('right') + dates('wrong') + dates('missed')
  return {
    pages: scored.length,
    f1: mean(scored.map(({ f1 }) => f1)),
    precision: mean(scored.map(({ precision }) => precision)),
    recall: mean(scored.map(({ recall }) => recall)),
    byType: Object.fromEntries(byType) as unknown,
    snippetsFound: mean(scored.map((page) => page.with)),
    snippetsKeptOut: mean(scored.map((page) => page.without)),
    titlesEqual: mean(scored.map(({ title }) => (title === undefined ? undefined : Number(title)))),
    dates: {
      labelled,
      precision: round(dates('right') / Math.max(1, dates('right') + dates('wrong'))),
      recall: round(dates('right') / Math.max(1, labelled)),
      toldWithoutLabel: dates('unlabelled'),
    },
  }
}

/** Pages a second of wall and of processor time, one thread, on pages that lie decoded in memory. */
function measureSpeed(pages: LabelledPage[], work: (page: LabelledPage) => unknown): Speed {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  for (const page of pages) work(page)
  const { user, system } = process.cpuUsage(before)
  return {
    pagesPerSecond: round((1_000 * pages.length) / (performance.now() - startedAt), 1),
    pagesPerCpuSecond: round((1_000_000 * pages.length) / (user + system), 1),
  }
}

function quietly<Value>(work: () => Value, otherwise: Value): Value {
  try {
    return work()
  } catch {
    return otherwise
  }
}

function compare(pages: LabelledPage[]): Record<string, unknown> {
  const sample = pages.filter((_, i) => i % 3 === 0)
  for (const page of sample.slice(0, 40)) extract(page)
  for (const page of sample.slice(0, 40)) quietly(() => readabilityText(page), '')
  // In turns, and the best of each: others may use the machine meanwhile.
  const ours: Speed[] = []
  const theirs: Speed[] = []
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(measureSpeed(sample, extract))
    theirs.push(measureSpeed(sample, (page) => quietly(() => readabilityText(page), '')))
  }
  const [own, other] = [bestOf(ours), bestOf(theirs)]
  return {
    pages: sample.length,
    kilobytesPerPage: round(sample.reduce((sum, page) => sum + page.html.length, 0) / sample.length / 1_000, 0),
    ours: own,
    readability: other,
    timesFaster: round(own.pagesPerCpuSecond / other.pagesPerCpuSecond, 1),
  }
}

const ROUNDS = 3

function bestOf(speeds: Speed[]): Speed {
  return speeds.reduce((best, next) => (next.pagesPerCpuSecond > best.pagesPerCpuSecond ? next : best))
}

function readabilityF1(pages: LabelledPage[]): number {
  return mean(
    pages.map(
      (page) =>
        compareWords(
          quietly(() => readabilityText(page), ''),
          page.labels.ground_truth.main_content,
        ).f1,
    ),
  )
}

/** Millions of characters a second of processor time: the texts of the pages, each in its own language, and made ones of others. */
function measureAnalysis(documents: PageDocument[]): Record<string, number> {
  const made: [language: string, sentence: string][] = [
    ['zh', '南京市长江大桥的搜索引擎很好用，我们都喜欢它。冬天，旧船停在港口，渔民们在那里修补渔网。'],
    ['ja', '東京都に住んでいます。冬になると古い船は港に泊まり、漁師たちは網を直します。検索エンジンで調べました。'],
    ['ko', '겨울에는 낡은 배들이 항구에 있고 어부들은 그물을 고칩니다. 서울에서 검색엔진을 사용합니다.'],
  ]
  const texts: Record<string, [text: string, language: string | undefined][]> = {
    pages: documents.map(({ text, language }) => [text, language]),
    ...Object.fromEntries(made.map(([language, sentence]) => [language, [[sentence.repeat(5_000), language]]])),
  }
  return Object.fromEntries(
    Object.entries(texts).map(([name, list]) => {
      for (const [text, language] of list.slice(0, 20)) analyse(text.slice(0, 20_000), language)
      const before = process.cpuUsage()
      for (const [text, language] of list) analyse(text, language)
      const { user, system } = process.cpuUsage(before)
      return [name, round(list.reduce((sum, [text]) => sum + text.length, 0) / (user + system), 1)]
    }),
  )
}

function listWorst(scored: Scored[], count: number, type: string | undefined): void {
  const wanted = scored.filter((page) => type === undefined || page.type === type)
  for (const page of wanted.toSorted((a, b) => a.f1 - b.f1).slice(0, count)) {
    const figures = [page.f1, page.precision, page.recall].map((figure) => figure.toFixed(3)).join(' ')
    process.stdout.write(`${page.id} ${page.type}/${page.guessed} ${figures} date ${page.date ?? '-'}\n`)
  }
}

const all = loadPages(values.data)
// Where no main text is labelled there is nothing to compare with.
const pages = all.filter((page) => page.labels.ground_truth.main_content.trim() !== '')
const parts = { tuning: pages.filter(({ id }) => !isHeldOut(id)), 'held-out': pages.filter(({ id }) => isHeldOut(id)) }
const chosen = Object.entries(parts).filter(([name]) => values.part === 'both' || values.part === name)
const figures: Record<string, unknown> = {}
for (const [name, part] of chosen) {
  const scored = part.map((page) => score(page, extract(page)))
  figures[name] = { ...summarise(scored), ...(values.alone ? {} : { readabilityF1: readabilityF1(part) }) }
  if (name === 'tuning' && values.worst !== undefined) listWorst(scored, Number(values.worst), values.type)
}
if (!values.alone) {
  figures['speed'] = compare(parts.tuning)
  figures['analysisMcharPerCpuSecond'] = measureAnalysis(parts.tuning.map(extract))
}
const result = {
  at: new Date().toISOString().slice(0, 10),
  pagesWithoutLabelledText: all.length - pages.length,
  machine: `${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown'}`,
  ...figures,
}
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
const json = values.json ?? (values.part === 'both' ? 'bench/results/extract.json' : undefined)
if (json !== undefined) {
  mkdirSync(dirname(json), { recursive: true })
  writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`)
  process.stdout.write(`written to ${json}\n`)
}
