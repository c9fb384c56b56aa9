/**
 * `./unmask bench soak`: the real server under a mixed load for hours; fails where its memory, its sockets or its cache do not stand still.
 *   --minutes N   how long (default 120)
 *   --load SHARE  of one core, on average, that the server may be busy (default 0.33)
 *   --json FILE   samples and verdict, written at the end (default bench/results/soak.json); while it runs, each minute into .cache/soak.json
 * Chat on both models, short and long, streamed and whole; clients that leave; refused requests; searches; a crawl of a new site every
 * five minutes. Caches are made small (8,192 tokens a model), so that they fill and kept beginnings are given up. Linux only.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../test/support/free-port.ts'
import { httpsClient } from '../test/support/https-client.ts'
import { startLocalSite } from '../test/support/local-site.ts'
import { startProduct } from '../test/support/product.ts'
import { startProgram } from '../test/support/tiny-product.ts'
import { seededRandom } from './search/random.ts'
import { judgeSteady, type Sample } from './soak/judge.ts'
import { DEEDS, pickDeed } from './soak/load.ts'
import { readProcessorMs, readServer, type ServerState } from './soak/server-state.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    load: { type: 'string', default: '0.33' },
    json: { type: 'string', default: 'bench/results/soak.json' },
  },
})
const MINUTES = Number(values.minutes)
const LOAD = Number(values.load)
/** No table is made of what has no verdict yet. */
const RUNNING = '.cache/soak.json'
const SAMPLE_MS = 15_000
const CRAWL_MS = 5 * 60_000
/** At most so many deeds at once: now and then more than the engine computes together. */
const CROWD_MAX = 24
/** What may be added between the first and the last third of a run, megabytes: a collector's own ups and downs. */
const GROWTH_MB = 16
const GROWTH_SOCKETS = 8

const CRAWL = ['--set', 'crawler.allowPrivate=true', '--set', 'crawler.delayMs=0']
const PAGES_A_SITE = 30

const metricsPort = await freePort()
const product = await startProduct({
  env: { UNMASK_METRICS_PORT: String(metricsPort), UNMASK_ENGINE_CACHE_TOKENS: '8192' },
})
const client = httpsClient({ baseUrl: product.ready.baseUrl, key: product.key, ca: product.ca })
const random = seededRandom(1)
const startedAt = performance.now()
const endsAt = startedAt + MINUTES * 60_000
const samples: (ServerState & { minute: number })[] = []
const deeds: Record<string, number> = {}
const wrong: string[] = []
let problems = 0
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const minuteOf = (): number => Number(((performance.now() - startedAt) / 60_000).toFixed(2))
const goesOn = (): boolean => !stop.signal.aborted && performance.now() < endsAt

/** Not behind the end of the run. */
async function restUntil(time: number): Promise<void> {
  const ms = Math.max(50, Math.min(time, endsAt) - performance.now())
  await setTimeout(ms, undefined, { signal: stop.signal }).catch(() => {})
}

function note(name: string, problem: string): void {
  deeds[name] = (deeds[name] ?? 0) + 1
  if (problem === '') return
  problems++
  if (wrong.length < 20) wrong.push(`minute ${minuteOf()}, ${name}: ${problem}`)
}

async function act(): Promise<void> {
  const name = pickDeed(random)
  const problem = await DEEDS[name]?.[1](client, random).catch((error: unknown) => String(error))
  note(name, problem ?? '')
}

/** Crowds of changing size, with rests that keep the server's processor time to its share. */
async function load(): Promise<void> {
  const processorAtStart = readProcessorMs(product.ready.pid)
  while (goesOn()) {
    const crowd = Math.ceil(CROWD_MAX * random() ** 3)
    await Promise.all(Array.from({ length: crowd }, act))
    const used = readProcessorMs(product.ready.pid) - processorAtStart
    await restUntil(startedAt + used / LOAD)
  }
}

async function crawl(): Promise<void> {
  while (goesOn()) {
    const site = await startLocalSite(PAGES_A_SITE)
    const program = startProgram(['crawl', `${site.base}/`, '--data', product.folder, ...CRAWL], {})
    const code = await program.ended
    note('crawl of a new site', code === 0 ? '' : `${code}: ${program.stderr().slice(-300)}`)
    await site.close()
    await restUntil(performance.now() + CRAWL_MS)
  }
}

async function watch(): Promise<void> {
  for (let taken = 1; goesOn(); taken++) {
    samples.push({ minute: minuteOf(), ...(await readServer(product.ready.pid, metricsPort)) })
    if (taken % 4 === 0) write(RUNNING, { state: 'running' })
    await restUntil(startedAt + taken * SAMPLE_MS)
  }
}

/** When nobody asks any more, every cell is free or holds a beginning. */
async function lostCells(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    // Idle, the engine tells its state once a second.
    await setTimeout(1500)
    const { running, queued, cells } = await readServer(product.ready.pid, metricsPort)
    const lost = cells.all - cells.free - cells.kept
    if (running + queued === 0 && (lost === 0 || tries > 5)) return lost
  }
  throw new Error('requests run on although nobody asks any more')
}

function series(value: (state: ServerState) => number): Sample[] {
  return samples.map((state) => ({ minute: state.minute, value: value(state) }))
}

function verdicts() {
  return {
    apiMb: judgeSteady(
      series(({ api }) => api.memoryMb),
      GROWTH_MB,
    ),
    engineMb: judgeSteady(
      series(({ engine }) => engine.memoryMb),
      GROWTH_MB,
    ),
    apiSockets: judgeSteady(
      series(({ api }) => api.sockets),
      GROWTH_SOCKETS,
    ),
  }
}

/** One line a sample: [minute, api MB, heap MB, engine MB, api files, api sockets, engine files, threads of both, running, free cells, kept cells]. */
function rowOf({ minute, api, engine, heapMb, running, cells }: (typeof samples)[number]): number[] {
  const handles = [api.files, api.sockets, engine.files, api.threads + engine.threads]
  return [minute, api.memoryMb, heapMb, engine.memoryMb, ...handles, running, cells.free, cells.kept]
}

const COLUMNS =
  'minute, api MB, heap MB, engine MB, api files, api sockets, engine files, threads, running, free cells, kept cells'

function write(path: string, figures: object): void {
  const result = {
    at: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}`,
    minutes: minuteOf(),
    load: LOAD,
    ...figures,
    deeds,
    problems,
    wrong,
    columns: COLUMNS.split(', '),
  }
  const rows = samples.map((sample) => `    ${JSON.stringify(rowOf(sample))}`).join(',\n')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(result, null, 2).slice(0, -2)},\n  "samples": [\n${rows}\n  ]\n}\n`)
}

try {
  await Promise.all([load(), crawl(), watch()])
  const engines = new Set(samples.map(({ engine }) => engine.pid)).size
  const figures = { ...verdicts(), lostCells: await lostCells(), engineDeaths: engines - 1 }
  const steady = figures.apiMb.steady && figures.engineMb.steady && figures.apiSockets.steady
  const passed = steady && figures.lostCells === 0 && figures.engineDeaths === 0 && problems === 0
  write(values.json, { state: stop.signal.aborted ? 'stopped' : 'ended', passed, ...figures })
  process.stdout.write(`${JSON.stringify({ passed, ...figures, deeds, problems, wrong }, null, 2)}\n`)
  process.exitCode = passed ? 0 : 1
} finally {
  client.close()
  await product.stop()
}
