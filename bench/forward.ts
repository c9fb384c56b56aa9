/**
 * `./unmask bench forward`: milliseconds a forward, beside what its products alone need.
 * `[--only pair|8b] [--type q8_0,q4_k] [--threads 1,2] [--json FILE] [MODEL.gguf …]`. The pair: a causal row and a window of the other rows, or a
 * prompt of 64, beside 256 tokens in the cache. 8b: random weights in the shape of LLaDA-8B (8.5 GB in Q8_0, 4.8 in Q4_K), written to
 * the system's folder for temporary files and deleted after: a block of 32 rows beside 256 tokens, and a reply of 32 tokens, 8 a step.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { basename, dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { findKernel } from '../src/engine/ggml/find-kernel.ts'
import { loadGgml } from '../src/engine/ggml/load.ts'
import { openForward } from '../src/engine/model/ggml-forward.ts'
import { ModelFile } from '../src/engine/weights/model-file.ts'
import { blockRows, measureForward, stepRows, type Timed } from './forward/measure.ts'
import { ProductsAlone } from './forward/products.ts'
import { measureWide, WIDE_TYPES, type Wide } from './forward/wide.ts'
import { measureLimits } from './kernel/limits.ts'

const PAIR = ['models/model.gguf', 'models/model-moe.gguf']
const ROWS = [1, 2, 5, 6, 9, 16, 32, 64]
const RUNS = 15

const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string' },
    type: { type: 'string', default: 'q8_0,q4_k' },
    threads: { type: 'string', default: '1,2' },
    json: { type: 'string', default: 'bench/results/forward.json' },
  },
  allowPositionals: true,
})
const threads = values.threads.split(',').map(Number)
const { kernel, why } = await findKernel(loadGgml(), ['node_modules/.cache/kernel'])
if (kernel === undefined) throw new Error(`There is no kernel to measure: ${why}`)
const limits = measureLimits(kernel)
console.log(
  `${kernel.isa}; the instruction alone: ${limits.peakGflops.toFixed(0)} GFLOP/s a thread; memory: ${limits.readGbytes.toFixed(1)} GB/s`,
)

type Pair = Timed & { model: string; threads: number; rows: number }

async function measurePair(path: string): Promise<Pair[]> {
  const file = await ModelFile.open(path)
  const options = { precision: 'file', kernel, cacheType: 'bf16', cells: 1024, threads: 1, keepLogits: false } as const
  const forward = await openForward(file, options)
  const products = await ProductsAlone.open(file, kernel)
  const measured: Pair[] = []
  for (const count of threads) {
    forward.threads = count
    for (const rows of ROWS) {
      const spans = rows >= 64 ? blockRows(rows) : stepRows(rows, file.spec.maskToken)
      const timed = await measureForward(forward, products, { spans, runs: RUNS })
      measured.push({ model: basename(path), threads: count, rows, ...timed })
    }
  }
  products.close()
  forward.close()
  await file.close()
  return measured
}

const pair: Pair[] = []
if (values.only !== '8b') {
  for (const path of positionals.length > 0 ? positionals : PAIR) pair.push(...(await measurePair(path)))
  console.log('model | threads | rows | ms | best ms | products alone, ms | their share')
  for (const { model, threads: count, rows, ms, bestMs, productsMs, share } of pair) {
    const figures = [ms, bestMs, productsMs, share].map((figure) => figure.toFixed(2))
    console.log([model, count, rows, ...figures].join(' | '))
  }
}
const wide: Wide[] = []
if (values.only !== 'pair') {
  for (const type of WIDE_TYPES.filter((name) => values.type.toUpperCase().split(',').includes(name))) {
    wide.push(...(await measureWide(kernel, type, { threads, limits })))
  }
  console.log(JSON.stringify(wide, null, 1))
}
const here = {
  at: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}`,
  isa: kernel.isa,
  limits,
}
const before = existsSync(values.json) ? (JSON.parse(readFileSync(values.json, 'utf8')) as object) : {}
const result = {
  ...before,
  ...(pair.length > 0 ? { pair: { ...here, rows: pair } } : {}),
  ...(wide.length > 0 ? { wide: { ...here, rows: wide } } : {}),
}
mkdirSync(dirname(values.json), { recursive: true })
const round = (_: string, value: unknown) => (typeof value === 'number' ? Math.round(value * 1000) / 1000 : value)
writeFileSync(values.json, `${JSON.stringify(result, round, 2)}\n`)
