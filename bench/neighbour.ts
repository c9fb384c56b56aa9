/**
 * `./unmask bench neighbour`: steps of the engine while other processes want its cores.
 *   --json FILE     write the figures (default bench/results/neighbour.json)
 *   --seconds N     of each measure (default 8)
 *   --threads LIST  of the engine (default auto,1 and the number of cores)
 * Nobody, one spinning process, as many as there are cores, nobody again; `auto` keeps what it has learnt from one to the next.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openEngine } from '../src/engine/client.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { median, quantile, round } from './figures.ts'
import { measureSteps, REPLIES } from './neighbour/measure-steps.ts'
import { startSpinners } from './neighbour/spinners.ts'

const CORES = availableParallelism()
const { values } = parseArgs({
  options: {
    json: { type: 'string', default: 'bench/results/neighbour.json' },
    seconds: { type: 'string', default: '8' },
    threads: { type: 'string', default: [...new Set(['auto', 1, CORES])].join(',') },
  },
})
const SECONDS = Number(values.seconds)

const PHASES: [name: string, neighbours: number][] = [
  ['quiet', 0],
  ['one neighbour', 1],
  ['as many neighbours as cores', CORES],
  ['quiet again', 0],
]

type Row = {
  threads: number | 'auto'
  phase: string
  steps: number
  medianMs: number
  p99Ms: number
  /** p99 in medians of the quiet phase. */
  times: number
  /** Threads that the engine computes with when the phase ends. */
  threadsLeft: number
}

async function measure(threads: number | 'auto'): Promise<Row[]> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'unmask-neighbour-'))
  const options = {
    models: { Model: 'models/model.gguf' },
    threads,
    kernel: 'auto',
    runningMax: 16,
    queueMax: 16,
    cacheTokens: 4096 + 1024,
    prefillChunk: 128,
    streamIdleMs: 60_000,
  } as const
  const engine = openEngine({ options, root: resolve('.'), dataFolder, clock: systemClock, log: silentLog })
  const rows: Row[] = []
  try {
    await engine.ready()
    await measureSteps(engine, performance.now() + 2000)
    for (const [phase, neighbours] of PHASES) {
      const stop = startSpinners(neighbours)
      const steps = await measureSteps(engine, performance.now() + 1000 * SECONDS).finally(stop)
      const p99Ms = quantile(steps, 0.99)
      const quietMs = rows[0]?.medianMs ?? median(steps)
      rows.push({
        threads,
        phase,
        steps: steps.length,
        medianMs: round(median(steps), 2),
        p99Ms: round(p99Ms, 2),
        times: round(p99Ms / quietMs, 2),
        threadsLeft: engine.health().threads,
      })
      process.stdout.write(`${JSON.stringify(rows.at(-1))}\n`)
    }
  } finally {
    await engine.stop(0)
    rmSync(dataFolder, { recursive: true, force: true })
  }
  return rows
}

const rows: Row[] = []
for (const word of values.threads.split(',')) rows.push(...(await measure(word === 'auto' ? word : Number(word))))
const result = {
  at: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}`,
  cores: CORES,
  replies: REPLIES,
  seconds: SECONDS,
  rows,
}
mkdirSync(dirname(values.json), { recursive: true })
writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
process.stdout.write(`written to ${values.json}\n`)
