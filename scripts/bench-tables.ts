/**
 * `node scripts/bench-tables.ts` writes the tables between `<!-- table:NAME -->` and `<!-- /table:NAME -->` of README.md,
 * docs/ and models/ from bench/results/NAME.json: no figure is typed by hand, and `npm run check` fails while they differ.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import type { Memory } from '../bench/chat/measure-memory.ts'
import { renderForward } from './forward-table.ts'
import { renderQuality } from './quality-table.ts'
import { renderSearch } from './search-table.ts'
import { renderBatching, renderNeighbour, renderSoak } from './serving-tables.ts'
import { renderKernel, renderPeers } from './speed-tables.ts'

type Result = Record<string, unknown>

/** NAME → how its result reads as Markdown. */
const RENDER: Record<string, (result: Result) => string> = {
  chat: renderChat,
  batching: renderBatching,
  neighbour: renderNeighbour,
  soak: renderSoak,
  forward: renderForward,
  kernel: renderKernel,
  peers: renderPeers,
  quality: renderQuality,
  extract: renderExtract,
  search: renderSearch,
}

const MARKED = /(<!-- table:([\w-]+) -->\n)[\s\S]*?(<!-- \/table:\2 -->)/g

/** Documents with such marks, and their text as it must be; nothing stands between the marks before a result exists. */
export function renderBenchTables(): Record<string, string> {
  const paths = ['README.md', ...globSync('docs/*.md'), ...globSync('models/*.md')].filter((path) => existsSync(path))
  return Object.fromEntries(paths.map((path) => [path, fillTables(readFileSync(path, 'utf8'), readResult)]))
}

/** `read` gives a bench's result, or undefined where it has not run yet. Throws where a mark names no table. */
export function fillTables(text: string, read: (name: string) => Result | undefined): string {
  return text.replace(MARKED, (_, open: string, name: string, close: string) => {
    const render = RENDER[name]
    if (render === undefined) throw new Error(`scripts/bench-tables.ts knows no table "${name}"`)
    const result = read(name)
    return result === undefined ? `${open}${close}` : `${open}${render(result)}\n${close}`
  })
}

function readResult(name: string): Result | undefined {
  const file = `bench/results/${name}.json`
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Result) : undefined
}

/** Keys of bench/results/chat.json → what a reader calls them. What is not named here is not shown. */
const CHAT_ROWS: [key: string, label: string, unit: string][] = [
  ['firstTokenMs', 'First text of a prompt of 64 tokens, median', 'ms'],
  ['firstTokenP90Ms', 'The same, 90th percentile', 'ms'],
  ['tokensPerSecond', 'Tokens a second, one reply', ''],
  ['tokensPerStep', 'Tokens a denoising step', ''],
  ['tokensPerSecondOf8', 'Tokens a second, eight replies at once, together', ''],
]

function renderChat(result: Result): string {
  const models = result['models'] as Record<string, Record<string, number>>
  const names = Object.keys(models)
  const lines = CHAT_ROWS.map(([key, label, unit]) => {
    const cells = names.map((name) => `${models[name]?.[key] ?? ''} ${unit}`.trim())
    return `| ${label} | ${cells.join(' | ')} |`
  })
  const whole = [
    `From \`npm start\` to ready: ${result['startMs']} ms (first start: ${result['firstStartMs']} ms).`,
    `The API's event loop waits at most ${result['eventLoopP99Ms']} ms (p99) while eight replies run.`,
    tellMemory(result['memory'] as Memory | undefined),
    `Measured by \`./unmask bench chat\` on ${result['machine']}, ${result['at']}.`,
  ]
  return [
    `| | ${names.map((name) => `\`${name}\``).join(' | ')} |`,
    `|---|${names.map(() => '---|').join('')}`,
    ...lines,
    '',
    whole.filter((line) => line !== '').join('\n'),
  ].join('\n')
}

function tellMemory(memory: Memory | undefined): string {
  if (memory === undefined) return ''
  const { conversations, tokens, engineMb, idleEngineMb, apiMb } = memory
  return `Resident memory of the engine, both models loaded: ${idleEngineMb} MB, ${engineMb} MB with ${conversations} conversations of ${tokens} tokens; of the server beside it ${apiMb} MB.`
}

type Part = {
  pages: number
  f1: number
  byType: Record<string, { pages: number; f1: number }>
  dates: { labelled: number; precision: number; recall: number }
  readabilityF1: number
}

function renderExtract(result: Result): string {
  const parts = { tuning: result['tuning'] as Part, held: result['held-out'] as Part }
  const speed = result['speed'] as { ours: Rate; readability: Rate; timesFaster: number }
  const rows: [string, (part: Part) => number | undefined][] = [
    ['Pages', (part) => part.pages],
    ['Word F1, all', (part) => part.f1],
    ...Object.keys(parts.tuning.byType).map((type): [string, (part: Part) => number | undefined] => [
      `Word F1, ${type}`,
      (part) => part.byType[type]?.f1,
    ]),
    ['Day of publication, precision', (part) => part.dates.precision],
    ['Day of publication, recall', (part) => part.dates.recall],
  ]
  return [
    '| | Held-out third | Pages looked at |',
    '|---|---|---|',
    ...rows.map(([label, figure]) => `| ${label} | ${figure(parts.held) ?? ''} | ${figure(parts.tuning) ?? ''} |`),
    '',
    `${speed.ours.pagesPerCpuSecond} pages per second of processor time, ${speed.timesFaster} times those of Readability.js`,
    `(${speed.readability.pagesPerCpuSecond}; its word F1 is ${parts.held.readabilityF1} on the held-out third, ${parts.tuning.readabilityF1} on the others).`,
    `Measured by \`./unmask bench extract\` on ${result['machine']}, ${result['at']}.`,
  ].join('\n')
}

type Rate = { pagesPerCpuSecond: number }

if (import.meta.main) {
  for (const [path, text] of Object.entries(renderBenchTables())) writeFileSync(path, text)
}
