/**
 * `./unmask bench quality`: what the bundled models say, and how many tokens a forward they say it in.
 *   --models ID=FILE,…  what is measured (default: the two that ship); the first one's dials are measured
 *   --base FILE         replies that an earlier run wrote for "--models Base=…" (the published base, exported without
 *                       tuning): the models' closed questions are compared with them one by one
 *   --json FILE         write the figures (default bench/results/quality.json)
 *   --each N            at most so many closed questions of a kind (default: all); --replies FILE writes every reply
 *   --kinds A,B,…       only questions of these kinds
 *   --only quick        no dials, no sampling, no windows that never rest
 *   --only dials        rule, window, threshold, temperature and file types; the other figures stay in the file
 *   --threads N         of the engine (default 1)
 * Greedy unless said; questions, wordings and operand pairs that were never trained on (bench/quality/questions.json).
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openEngine } from '../src/engine/client.ts'
import type { Decoding } from '../src/engine/messages.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { FILE_TYPES, writeInTypes } from './quality/file-types.ts'
import { interval, isRight, type Question } from './quality/judge.ts'
import { askAll, type Figures, judgeAll, type Reply, type Setting } from './quality/measure.ts'

const { values } = parseArgs({
  options: {
    models: { type: 'string', default: 'Model=models/model.gguf,Model-MoE=models/model-moe.gguf' },
    json: { type: 'string', default: 'bench/results/quality.json' },
    each: { type: 'string', default: '1000' },
    kinds: { type: 'string' },
    replies: { type: 'string' },
    base: { type: 'string' },
    only: { type: 'string' },
    threads: { type: 'string', default: '1' },
  },
})

const CLOSED = ['sum', 'capital', 'opposite', 'symbol', 'unit', 'calendar']
const SEEDS = [1, 2, 3]
/** What the shipped files ask for. */
const DEFAULT: Partial<Decoding> = { rule: 'verified', window: 4, threshold: 0.2 }
const DIALS: Partial<Decoding>[] = [
  { rule: 'sequential' },
  DEFAULT,
  ...[0.1, 0.2, 0.4, 0.6].map((threshold) => ({ rule: 'verified', window: 4, threshold, paced: false })),
  ...[0.2, 0.4].map((threshold) => ({ rule: 'verified', window: 8, threshold, paced: false })),
  ...[0.7, 0.9].flatMap((threshold) => [4, 8].map((window) => ({ rule: 'threshold', window, threshold }))),
]
const DIALS_SAMPLED: Partial<Decoding>[] = [
  { rule: 'sequential' },
  DEFAULT,
  { rule: 'threshold', window: 4, threshold: 0.7 },
]
/** Of each kind, for each dial. */
const DIAL_QUESTIONS = 20

const models = Object.fromEntries(values.models.split(',').map((word) => word.split('=') as [string, string]))
const [first = ''] = Object.keys(models)
const folder = mkdtempSync(join(tmpdir(), 'unmask-quality-'))
const otherTypes: Record<string, string> = {}
for (const types of values.only === 'quick' ? [] : FILE_TYPES) {
  otherTypes[`${first}-${types.id}`] = await writeInTypes(models[first] ?? '', types, folder)
}
const engine = openEngine({
  options: {
    models: { ...models, ...otherTypes },
    threads: Number(values.threads),
    runningMax: 16,
    queueMax: 256,
    kernel: 'auto',
    cacheTokens: 16_384,
    prefillChunk: 128,
    streamIdleMs: 60_000,
  },
  root: process.cwd(),
  dataFolder: resolve('data'),
  clock: systemClock,
  log: silentLog,
})

const all = JSON.parse(readFileSync(new URL('quality/questions.json', import.meta.url), 'utf8')) as Question[]
const ofKind = (kind: string, count = Number.POSITIVE_INFINITY): Question[] =>
  all.filter((question) => question.kind === kind).slice(0, count)
const closed = CLOSED.flatMap((kind) => ofKind(kind, Number(values.each)))
const OTHERS = ['product', 'unknown', 'recall', 'system', 'open']
const kinds = values.kinds?.split(',') ?? [...CLOSED, ...OTHERS]
const questions = [...closed, ...OTHERS.flatMap((kind) => ofKind(kind))].filter(({ kind }) => kinds.includes(kind))

type Group = Record<string, Figures & { interval?: [number, number] }>

function group(replies: Reply[]): Group {
  const of = (kinds: readonly string[]): Reply[] => replies.filter(({ question }) => kinds.includes(question.kind))
  const kinds = [...new Set(replies.map(({ question }) => question.kind))]
  const figures: Group = Object.fromEntries(kinds.map((kind) => [kind, judgeAll(of([kind]))]))
  const whole = judgeAll(of(CLOSED))
  const [low, high] = interval(Math.round(whole.right * whole.questions), whole.questions)
  return { closed: { ...whole, interval: [Number(low.toFixed(4)), Number(high.toFixed(4))] }, ...figures }
}

async function measure(setting: Setting, asked: Question[]): Promise<{ figures: Group; replies: Reply[]; ms: number }> {
  const { replies, ms } = await askAll(engine, asked, setting)
  const figures = group(replies)
  const brief = ['closed', ...OTHERS].map((kind) => {
    const f = figures[kind]
    return f === undefined ? '' : `${kind} ${f.right} right, ${f.tokensPerForward} tokens a forward, ${f.ended} ended`
  })
  console.log(`${JSON.stringify(setting)} ${Math.round(ms / 1000)} s\n  ${brief.join('; ')}`)
  return { figures, replies, ms }
}

/** Closed questions: how many points more than the base are right, with the 95% interval of the pairs. */
function pairAll(said: Record<string, Reply[]>, base: Reply[]): Record<string, { points: number; interval: number }> {
  const texts = new Map(base.map(({ question, text }) => [question.ask, text]))
  return Object.fromEntries(Object.entries(said).map(([id, replies]) => [id, pair(replies, texts)]))
}

function pair(replies: Reply[], base: ReadonlyMap<string, string>): { points: number; interval: number } {
  const differences = replies.flatMap(({ question, text }) => {
    const other = base.get(question.ask)
    if (other === undefined || !CLOSED.includes(question.kind)) return []
    return [Number(isRight(question, text)) - Number(isRight(question, other))]
  })
  const mean = differences.reduce((sum, d) => sum + d, 0) / differences.length
  const variance = differences.reduce((sum, d) => sum + (d - mean) ** 2, 0) / differences.length
  const spread = 1.96 * Math.sqrt(variance / differences.length)
  return { points: Number((100 * mean).toFixed(1)), interval: Number((100 * spread).toFixed(1)) }
}

/** Of the first model: each dial greedily, the file's own at the API's default temperature, and other types of file. */
async function measureDials(): Promise<Record<string, unknown>[]> {
  const few = [...CLOSED, 'product', 'open'].flatMap((kind) => ofKind(kind, DIAL_QUESTIONS))
  const settings: Setting[] = [
    ...DIALS.map((decoding) => ({ model: first, temperature: 0, seed: 1, decoding })),
    ...DIALS_SAMPLED.map((decoding) => ({ model: first, temperature: 0.7, seed: 1, decoding })),
    ...Object.keys(otherTypes).map((model) => ({ model, temperature: 0, seed: 1, decoding: DEFAULT })),
  ]
  const rows: Record<string, unknown>[] = []
  for (const setting of settings) {
    const { figures, replies, ms } = await measure({ ...setting, crowded: true }, few)
    const tokens = replies.reduce((sum, reply) => sum + reply.tokens, 0)
    rows.push({
      ...setting.decoding,
      temperature: setting.temperature,
      types: FILE_TYPES.find(({ id }) => setting.model === `${first}-${id}`),
      tokensPerSecond: Number(((1000 * tokens) / ms).toFixed(1)),
      closedRight: figures['closed']?.right,
      closed: figures['closed']?.tokensPerForward,
      product: figures['product']?.tokensPerForward,
      open: figures['open']?.tokensPerForward,
    })
  }
  return rows
}

/** Greedy replies to everything, judged; `said` keeps them. */
async function measureGreedy(said: Record<string, Reply[]>): Promise<Record<string, Group>> {
  const greedy: Record<string, Group> = {}
  for (const model of Object.keys(models)) {
    const { figures, replies } = await measure({ model, temperature: 0, seed: 1, decoding: {} }, questions)
    greedy[model] = figures
    said[model] = replies
  }
  return greedy
}

async function measureNeverResting(): Promise<Record<string, Group>> {
  const asked = questions.filter(({ kind }) => [...CLOSED, 'product', 'open'].includes(kind))
  const fixed: Record<string, Group> = {}
  for (const model of Object.keys(models)) {
    fixed[model] = (await measure({ model, temperature: 0, seed: 1, decoding: { paced: false } }, asked)).figures
  }
  return fixed
}

async function measureSampled(): Promise<Group[]> {
  const few = questions.filter(({ kind }) => kind !== 'open')
  const sampled: Group[] = []
  for (const seed of SEEDS) {
    sampled.push((await measure({ model: first, temperature: 0.7, seed, decoding: {} }, few)).figures)
  }
  return sampled
}

async function main(): Promise<void> {
  await engine.ready()
  const here = { machine: cpus()[0]?.model, at: new Date().toISOString().slice(0, 10) }
  let told: Record<string, unknown> = here
  const said: Record<string, Reply[]> = {}
  if (values.only === 'dials') {
    told = JSON.parse(readFileSync(values.json, 'utf8')) as Record<string, unknown>
  } else {
    const greedy = await measureGreedy(said)
    told['greedy'] = greedy
    if (values.only !== 'quick') told['neverResting'] = await measureNeverResting()
    if (values.base !== undefined) {
      const { Base: base = [] } = JSON.parse(readFileSync(values.base, 'utf8')) as Record<string, Reply[]>
      greedy['Base'] = group(base)
      told['pairedWithBase'] = pairAll(said, base)
    }
    if (values.only !== 'quick') told['sampled'] = await measureSampled()
  }
  if (values.only !== 'quick') told['dials'] = { ...here, threads: Number(values.threads), rows: await measureDials() }
  mkdirSync(dirname(values.json), { recursive: true })
  writeFileSync(values.json, `${JSON.stringify(told, null, 1)}\n`)
  if (values.replies !== undefined) writeFileSync(values.replies, JSON.stringify(said, null, 1))
}

try {
  await main()
} finally {
  await engine.stop(1000)
  rmSync(folder, { recursive: true })
}
