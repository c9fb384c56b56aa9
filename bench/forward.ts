/**
 * Milliseconds a forward on the bundled pair, by rows and threads: `bench/forward.ts [--json FILE] [--threads N,N] [--ggml] [MODEL.gguf …]`.
 * Processor time of one thread is what a busy machine can still tell. Rows of up to 16 are a causal row and a window beside 256 cached tokens; 64 rows are a prompt.
 * `--ggml`: with ggml's own products.
 */
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { findKernel } from '../src/engine/ggml/find-kernel.ts'
import { loadGgml } from '../src/engine/ggml/load.ts'
import type { Span } from '../src/engine/model/forward.ts'
import { openForward, type GgmlForward } from '../src/engine/model/ggml-forward.ts'
import { ModelFile } from '../src/engine/weights/model-file.ts'
import { median } from './figures.ts'

const CONTEXT = 256
const ROWS = [1, 2, 5, 6, 8, 16, 64]
const RUNS = 15

type Measure = { model: string; threads: number; rows: number; bestMs: number; medianMs: number; cpuMs: number }

const { values, positionals } = parseArgs({
  options: { json: { type: 'string' }, threads: { type: 'string' }, ggml: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const paths = positionals.length > 0 ? positionals : ['models/model.gguf', 'models/model-moe.gguf']
const measures: Measure[] = []
const { kernel } = values.ggml ? {} : await findKernel(loadGgml(), ['node_modules/.cache/kernel'])
console.log(`products: ${kernel?.isa ?? 'ggml'}`)
for (const path of paths) {
  const file = await ModelFile.open(path)
  const forward = await openForward(file, {
    precision: 'file',
    kernel,
    cacheType: 'bf16',
    cells: 1024,
    threads: 1,
    keepLogits: false,
  })
  for (const threads of values.threads?.split(',').map(Number) ?? [1, 2]) {
    forward.threads = threads
    for (const rows of ROWS) measures.push({ model: path, threads, rows, ...(await measure(forward, rows)) })
  }
  forward.close()
  await file.close()
}
console.log('model | threads | rows | best ms | median ms | processor ms')
for (const { model, threads, rows, bestMs, medianMs, cpuMs } of measures) {
  console.log([model, threads, rows, bestMs.toFixed(1), medianMs.toFixed(1), cpuMs.toFixed(1)].join(' | '))
}
if (values.json !== undefined) {
  const machine = { processor: cpus()[0]?.model ?? 'unknown', cores: availableParallelism() }
  writeFileSync(values.json, `${JSON.stringify({ machine, context: CONTEXT, runs: RUNS, measures }, undefined, 2)}\n`)
}

async function measure(forward: GgmlForward, rows: number): Promise<Pick<Measure, 'bestMs' | 'medianMs' | 'cpuMs'>> {
  const lease = forward.lease(CONTEXT + 96)
  if (lease === undefined) throw new Error('the cache is too small for the bench')
  await forward.compute([{ lease, spans: [prompt(0, CONTEXT)] }])
  const times: number[] = []
  const cpu: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now()
    const used = process.cpuUsage()
    await forward.compute([{ lease, spans: spansOf(rows, forward) }])
    times.push(performance.now() - start)
    const { user, system } = process.cpuUsage(used)
    cpu.push((user + system) / 1000)
  }
  forward.release(lease)
  return { bestMs: Math.min(...times), medianMs: median(times), cpuMs: median(cpu) }
}

function prompt(from: number, count: number): Span {
  const tokens = Array.from({ length: count }, (_, i) => 1000 + i)
  const wanted = tokens.map((_, i) => i === count - 1)
  return { tokens, position: from, writeAt: from, sees: 'causal', adapted: false, wanted }
}

function spansOf(rows: number, { spec }: GgmlForward): Span[] {
  if (rows >= 64) return [prompt(0, rows)]
  const causal = prompt(CONTEXT, 1)
  const window = rows - 1
  if (window === 0) return [causal]
  const tokens = Array.from({ length: window }, (_, i) => (i === 0 ? 1000 : spec.maskToken))
  const sees = { until: CONTEXT, from: CONTEXT + 1, to: CONTEXT + 1 + window }
  return [
    causal,
    { tokens, position: CONTEXT, writeAt: CONTEXT + 1, sees, adapted: true, wanted: tokens.map(() => true) },
  ]
}
