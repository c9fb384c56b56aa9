/**
 * `./unmask bench kernel`: products of packed weights, by ggml and by the project's own kernel, on one thread.
 * `[--json FILE] [--from N] [--to N] [--matrices N]`; 24 matrices of 576 by 3072 at first, which together are larger than a processor's
 * second cache, as the weights of a denoising step are. Processor time of one thread is counted, rounding of the activations
 * included; rounds of both alternate, and ratios are medians over the rounds.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { Arena } from '../src/engine/ggml/arena.ts'
import { findKernel } from '../src/engine/ggml/find-kernel.ts'
import type { Graph } from '../src/engine/ggml/graph.ts'
import type { Tensor } from '../src/engine/ggml/handles.ts'
import { PACKED_TYPES, type Kernel, type PackedType } from '../src/engine/ggml/kernel.ts'
import { loadGgml } from '../src/engine/ggml/load.ts'
import { multiplyPacked, quantise } from '../src/engine/ggml/packed-product.ts'
import { Workspace } from '../src/engine/ggml/workspace.ts'
import { encodeTensor } from '../src/engine/weights/encode.ts'

const COLUMNS = [1, 2, 4, 5, 6, 8, 12, 16, 32, 64]
const ROUNDS = 9

const { values } = parseArgs({
  options: {
    json: { type: 'string', default: 'bench/results/kernel.json' },
    from: { type: 'string', default: '576' },
    to: { type: 'string', default: '3072' },
    matrices: { type: 'string', default: '24' },
  },
})
const [from, to, matrices] = [Number(values.from), Number(values.to), Number(values.matrices)]
const ggml = loadGgml()
const { kernel, why } = await findKernel(ggml, ['node_modules/.cache/kernel'])
if (kernel === undefined) throw new Error(`There is no kernel to measure: ${why}`)

type Row = { type: PackedType; columns: number; gflops: number; gbytes: number; ggmlGflops: number; ratio: number }

/** Seconds of processor time of one call. */
async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0
}

/** Multiply-adds a second of the processor's dot-product instruction on registers, times 2, in GFLOP/s. */
function measurePeak(own: Kernel): number {
  const best = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage()
    const done = own.peak(3_000_000)
    return (2 * done) / (process.cpuUsage(before).user * 1000)
  })
  return Math.max(...best)
}

async function measureType(own: Kernel, type: PackedType): Promise<Row[]> {
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
    const run = (product: (graph: Graph, at: number, x: Tensor) => Tensor) =>
      secondsOf(() =>
        workspace.run({
          nodesMax: 4 * matrices + 8,
          threads: 1,
          build: (graph) => {
            const input = graph.input('F32', [from, columns], x)
            for (let i = 0; i < matrices; i++) graph.expand(product(graph, i, input))
            return []
          },
        }),
      )
    const byGgml = () => run((graph, i, input) => graph.product(plain[i] ?? input, input))
    const byKernel = () =>
      run((graph, i, input) => {
        const bytes = packed[i] ?? input
        const quantised = quantise(graph, own, input, { from, columns })
        return multiplyPacked(graph, { kernel: own, bytes, type, from, to, matrices: 1 }, quantised)
      })
    await byGgml()
    await byKernel()
    const pairs: [number, number][] = []
    for (let round = 0; round < ROUNDS; round++) pairs.push([await byGgml(), await byKernel()])
    const seconds = median(pairs.map(([, ours]) => ours))
    const work = (2 * from * to * matrices * columns) / 1e9
    rows.push({
      type,
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

const peakGflops = measurePeak(kernel)
const rows: Row[] = []
console.log(
  `${kernel.isa}; the instruction alone: ${peakGflops.toFixed(0)} GFLOP/s; ${matrices} matrices of ${from} by ${to}`,
)
console.log('type | columns | GFLOP/s | weights GB/s | ggml GFLOP/s | times ggml')
for (const type of PACKED_TYPES) {
  for (const row of await measureType(kernel, type)) {
    rows.push(row)
    const { columns, gflops, gbytes, ggmlGflops, ratio } = row
    console.log(
      [type, columns, gflops.toFixed(0), gbytes.toFixed(1), ggmlGflops.toFixed(0), ratio.toFixed(2)].join(' | '),
    )
  }
}
const round = (value: number) => Math.round(value * 100) / 100
const result = {
  at: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}`,
  isa: kernel.isa,
  peakGflops: round(peakGflops),
  shape: { from, to, matrices },
  rows: rows.map(({ type, columns, gflops, gbytes, ggmlGflops, ratio }) => {
    const [ours, theirs] = [round(gflops), round(ggmlGflops)]
    return { type, columns, gflops: ours, gbytes: round(gbytes), ggmlGflops: theirs, ratio: round(ratio) }
  }),
}
mkdirSync(dirname(values.json), { recursive: true })
writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
