/**
 * `./unmask bench kernel`: products of packed weights, by ggml and by the project's own kernel, on one thread.
 * `[--json FILE]`. Processor time of one thread is counted, rounding of the activations included; rounds of both alternate,
 * and ratios are medians over the rounds. Then the experts' products of `Model-MoE`. Beside them: what the dot-product instruction alone does, and what memory gives.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { Arena } from '../src/engine/ggml/arena.ts'
import { findKernel } from '../src/engine/ggml/find-kernel.ts'
import type { Graph } from '../src/engine/ggml/graph.ts'
import type { Tensor } from '../src/engine/ggml/handles.ts'
import type { Kernel, PackedType } from '../src/engine/ggml/kernel.ts'
import { loadGgml } from '../src/engine/ggml/load.ts'
import { measureExperts } from './kernel/experts.ts'
import { measureLimits } from './kernel/limits.ts'
import { multiplyPacked, quantise } from '../src/engine/ggml/packed-product.ts'
import { Workspace } from '../src/engine/ggml/workspace.ts'
import { encodeTensor } from '../src/engine/weights/encode.ts'
import { median } from './figures.ts'

const COLUMNS = [1, 2, 4, 5, 6, 8, 12, 16, 32, 64]
const ROUNDS = 9
const EXPERTS = 'models/model-moe.gguf'

/** Matrices that together are larger than a processor's own caches, as the weights of a denoising step are. */
const SHAPES: { from: number; to: number; matrices: number; types: readonly PackedType[] }[] = [
  { from: 576, to: 3072, matrices: 24, types: ['Q4_0', 'Q4_1', 'Q8_0'] },
  { from: 4096, to: 4096, matrices: 3, types: ['Q8_0', 'Q4_K', 'Q6_K'] },
]

const { values } = parseArgs({ options: { json: { type: 'string', default: 'bench/results/kernel.json' } } })
const ggml = loadGgml()
const { kernel, why } = await findKernel(ggml, ['node_modules/.cache/kernel'])
if (kernel === undefined) throw new Error(`There is no kernel to measure: ${why}`)

type Row = {
  type: PackedType
  from: number
  to: number
  columns: number
  gflops: number
  gbytes: number
  ggmlGflops: number
  ratio: number
}

/** Seconds of processor time of one call. */
async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

async function measureType(own: Kernel, type: PackedType, shape: (typeof SHAPES)[number]): Promise<Row[]> {
  const { from, to, matrices } = shape
  const file = encodeTensor(
    type,
    Float32Array.from({ length: from * to }, (_, i) => Math.sin(i)),
  )
  const arena = new Arena(ggml, 2 * matrices)
  const workspace = new Workspace(ggml)
  const size = own.packedBytes(type, from, to)
  const plain = Array.from({ length: matrices }, () => arena.declare(type, [from, to]))
  const packed = Array.from({ length: matrices }, () => arena.declare('I8', [size]))
  arena.allocate('raw')
  for (const tensor of plain) arena.bytes(tensor).set(file)
  for (const tensor of packed) own.pack(type, [from, to], file, arena.bytes(tensor))
  const rows: Row[] = []
  for (const columns of COLUMNS) {
    const x = Float32Array.from({ length: from * columns }, (_, i) => Math.cos(i))
    const run = (by: string, product: (graph: Graph, at: number, x: Tensor) => Tensor) =>
      secondsOf(() =>
        workspace.runWith({
          key: by,
          nodesMax: 4 * matrices + 8,
          threads: 1,
          inputs: { x: { type: 'F32', shape: [from, columns], data: x } },
          build: (graph, inputs) => {
            const input = inputs['x']
            if (input === undefined) throw new Error('x is an input')
            for (let i = 0; i < matrices; i++) graph.expand(product(graph, i, input))
            return { outputs: [], made: undefined }
          },
        }),
      )
    const byGgml = () => run('ggml', (graph, i, input) => graph.product(plain[i] ?? input, input))
    const byKernel = () =>
      run('kernel', (graph, i, input) => {
        const bytes = packed[i] ?? input
        const quantised = quantise(graph, own, input, { from, columns })
        return multiplyPacked(graph, { kernel: own, bytes, type, from, to, matrices: 1 }, quantised)
      })
    // The first round builds the graphs, which are kept, as a forward of a few rows keeps its own.
    await byGgml()
    await byKernel()
    const pairs: [number, number][] = []
    for (let round = 0; round < ROUNDS; round++) pairs.push([await byGgml(), await byKernel()])
    const seconds = median(pairs.map(([, ours]) => ours))
    const work = (2 * from * to * matrices * columns) / 1e9
    rows.push({
      type,
      from,
      to,
      columns,
      gflops: work / seconds,
      gbytes: (size * matrices) / seconds / 1e9,
      ggmlGflops: work / median(pairs.map(([theirs]) => theirs)),
      ratio: median(pairs.map(([theirs, ours]) => theirs / ours)),
    })
  }
  workspace.dispose()
  arena.dispose()
  return rows
}

const { peakGflops, readGbytes } = measureLimits(kernel)
const rows: Row[] = []
console.log(
  `${kernel.isa}; the instruction alone: ${peakGflops.toFixed(0)} GFLOP/s; memory: ${readGbytes.toFixed(1)} GB/s`,
)
console.log('type | from | to | columns | GFLOP/s | weights GB/s | ggml GFLOP/s | times ggml')
for (const shape of SHAPES) {
  for (const type of shape.types) {
    for (const row of await measureType(kernel, type, shape)) {
      rows.push(row)
      const { from, to, columns, gflops, gbytes, ggmlGflops, ratio } = row
      const figures = [gflops.toFixed(0), gbytes.toFixed(1), ggmlGflops.toFixed(0), ratio.toFixed(2)]
      console.log([type, from, to, columns, ...figures].join(' | '))
    }
  }
}
const experts = await measureExperts(kernel, EXPERTS)
console.log(`the experts' products of a forward of ${EXPERTS}, rows grouped by expert`)
console.log('rows | ms | ggml ms | times ggml')
for (const { rows: count, ms, ggmlMs, ratio } of experts) {
  console.log([count, ms.toFixed(2), ggmlMs.toFixed(2), ratio.toFixed(2)].join(' | '))
}
const round = (value: number) => Math.round(value * 100) / 100
const result = {
  at: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}`,
  isa: kernel.isa,
  peakGflops: round(peakGflops),
  readGbytes: round(readGbytes),
  experts: experts.map(({ rows: count, ms, ggmlMs, ratio }) => {
    return { rows: count, ms: round(ms), ggmlMs: round(ggmlMs), ratio: round(ratio) }
  }),
  rows: rows.map(({ type, from, to, columns, gflops, gbytes, ggmlGflops, ratio }) => {
    const [ours, theirs] = [round(gflops), round(ggmlGflops)]
    return { type, from, to, columns, gflops: ours, gbytes: round(gbytes), ggmlGflops: theirs, ratio: round(ratio) }
  }),
}
mkdirSync(dirname(values.json), { recursive: true })
writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
