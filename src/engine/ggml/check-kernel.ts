import { decodeTensor } from '../weights/decode.ts'
import { encodeTensor } from '../weights/encode.ts'
import { Arena } from './arena.ts'
import { checkOps } from './check-kernel-ops.ts'
import { compareTo, dot, noise, normed, silu } from './check-numbers.ts'
import type { Graph } from './graph.ts'
import type { Tensor } from './handles.ts'
import { PACKED_TYPES, type Kernel, type PackedType } from './kernel.ts'
import type { Ggml } from './load.ts'
import {
  columnsFrom,
  multiplyChosen,
  multiplyPacked,
  normQuantise,
  quantise,
  swigluQuantise,
  type Packed,
} from './packed-product.ts'
import { Workspace } from './workspace.ts'

/** Two matrices, so that choosing between them shows. */
const [FROM, TO, COLUMNS, MATRICES] = [256, 64, 29, 2]
/** An adapter acts on the columns from here on. */
const ADAPTED = 26
/** Longer than what a product's columns meet at once (CHUNK of native/product.c). */
const LONG = { from: 4096 + 256, to: 32, columns: 2 }
/** Of the largest number: 8 bits round to half of 1/127, and errors of 256 products add up like a random walk. */
const TOLERANCE = 0.02
const ALL = { length: TO * COLUMNS, tolerance: TOLERANCE }
const EPSILON = 1e-5

/**
 * Compares each op of the kernel with plain arithmetic, and every column of a product among others with itself alone
 * (about 40 ms). Throws a sentence: what a compiler made for this processor must not talk nonsense.
 */
export async function checkKernel(ggml: Ggml, kernel: Kernel): Promise<void> {
  const workspace = new Workspace(ggml)
  try {
    for (const type of PACKED_TYPES) {
      await withPacked(ggml, kernel, type, { from: FROM, to: TO, matrices: MATRICES }, async (packed, values) => {
        await checkProducts(workspace, packed, values)
        await checkRounding(workspace, packed, values)
      })
    }
    await withPacked(ggml, kernel, 'Q8_0', { ...LONG, matrices: 1 }, async (packed, values) => {
      await checkLongRows(workspace, packed, values)
    })
    await checkOps(ggml, workspace, kernel)
  } finally {
    workspace.dispose()
  }
}

type Shape = { from: number; to: number; matrices: number }

async function withPacked(
  ggml: Ggml,
  kernel: Kernel,
  type: PackedType,
  { from, to, matrices }: Shape,
  use: (packed: Packed, values: Float32Array) => Promise<void>,
): Promise<void> {
  const file = encodeTensor(type, noise(from * to * matrices, 93))
  const arena = new Arena(ggml, 1)
  try {
    const bytes = arena.declare('I8', [kernel.packedBytes(type, from, to * matrices)])
    arena.allocate()
    kernel.pack(type, [from, to * matrices], file, arena.bytes(bytes))
    await use({ kernel, bytes, type, from, to, matrices }, decodeTensor(type, file))
  } finally {
    arena.dispose()
  }
}

async function checkProducts(workspace: Workspace, packed: Packed, values: Float32Array): Promise<void> {
  const x = noise(FROM * COLUMNS, 37)
  const start = noise(TO * COLUMNS, 71).map((value) => 10 * value)
  const whole = await multiply(workspace, packed, { x, start }, COLUMNS)
  const { type } = packed
  const products = Float64Array.from({ length: TO * COLUMNS }, (_, i) =>
    dot(values, i % TO, x, Math.floor(i / TO), FROM),
  )
  compareTo(`products of ${type}`, whole.plain, (i) => products[i] ?? 0, ALL)
  const chosen = (i: number): number => {
    const column = Math.floor(i / TO)
    return dot(values, TO * (column % MATRICES) + (i % TO), x, column, FROM)
  }
  compareTo(`products of ${type}`, whole.chosen, chosen, ALL)
  const added = (i: number): number => (start[i] ?? 0) + (i < TO * ADAPTED ? 1 : 2) * (products[i] ?? 0)
  compareTo(`adapted products of ${type}`, whole.added, added, ALL)
  for (const columns of [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 17]) {
    const part = await multiply(workspace, packed, { x, start }, columns)
    const same = part.plain.every((y, i) => Object.is(y, whole.plain[i]))
    if (!same) throw new Error(`a column of ${type} depends on the columns beside it (among ${columns})`)
  }
}

type Products = { plain: Float32Array; chosen: Float32Array; added: Float32Array }
type Given = { x: Float32Array; start: Float32Array }

/**
 * By the first matrix; by the matrix that has the column's number, modulo their count; and by the first on top of `start`,
 * with itself as the adapter of the last columns.
 */
async function multiply(workspace: Workspace, packed: Packed, given: Given, columns: number): Promise<Products> {
  const [plain, chosen, added] = await compute(workspace, (graph) => {
    const numbers = graph.input('F32', [FROM, columns], given.x.subarray(0, FROM * columns))
    const x = quantise(graph, packed.kernel, numbers, { from: FROM, columns })
    const which = Int32Array.from({ length: columns }, (_, column) => column % MATRICES)
    const wanted = { ids: graph.input('I32', [1, columns], which), used: 1, rows: columns }
    const start = graph.input('F32', [TO, columns], given.start.subarray(0, TO * columns))
    const adapter = columns > ADAPTED ? { packed, x: columnsFrom(graph, x, ADAPTED) } : undefined
    return [
      multiplyPacked(graph, packed, x),
      multiplyChosen(graph, packed, x, wanted),
      multiplyPacked(graph, packed, x, { start, adapter }),
    ]
  })
  const none = new Float32Array()
  return { plain: plain ?? none, chosen: chosen ?? none, added: added ?? none }
}

/** Norms and SwiGLU that end in 8 bits, as products take them. */
async function checkRounding(workspace: Workspace, packed: Packed, values: Float32Array): Promise<void> {
  const columns = 2
  const [x, weights, gateUp] = [noise(FROM * columns, 53), noise(FROM, 19), noise(2 * FROM * columns, 29)]
  const loud = gateUp.map((value) => 4 * value)
  const [afterNorm, afterGate] = await compute(workspace, (graph) => {
    const size = { from: FROM, columns }
    const norm = { x: graph.input('F32', [FROM, columns], x), weights: graph.input('F32', [FROM], weights) }
    const both = graph.input('F32', [2 * FROM, columns], loud)
    return [
      multiplyPacked(graph, packed, normQuantise(graph, packed.kernel, { ...norm, epsilon: EPSILON }, size)),
      multiplyPacked(graph, packed, swigluQuantise(graph, packed.kernel, both, size)),
    ]
  })
  const own = Float32Array.from({ length: FROM * columns })
  for (let at = 0; at < own.length; at += FROM) own.set(normed(x.subarray(at, at + FROM), weights, EPSILON), at)
  const gated = own.map((_, i) => {
    const at = 2 * FROM * Math.floor(i / FROM) + (i % FROM)
    return silu(loud[at] ?? 0) * (loud[at + FROM] ?? 0)
  })
  const product = (of: Float32Array) => (i: number) => dot(values, i % TO, of, Math.floor(i / TO), FROM)
  const bounds = { length: TO * columns, tolerance: TOLERANCE }
  compareTo('norms', afterNorm, product(own), bounds)
  compareTo('SwiGLU', afterGate, product(gated), bounds)
}

async function checkLongRows(workspace: Workspace, packed: Packed, values: Float32Array): Promise<void> {
  const { from, to, columns } = LONG
  const x = noise(from * columns, 37)
  const [y] = await compute(workspace, (graph) => {
    const numbers = graph.input('F32', [from, columns], x)
    return [multiplyPacked(graph, packed, quantise(graph, packed.kernel, numbers, { from, columns }))]
  })
  const product = (i: number): number => dot(values, i % to, x, Math.floor(i / to), from)
  compareTo('products of long rows', y, product, { length: to * columns, tolerance: TOLERANCE })
}

async function compute(workspace: Workspace, build: (graph: Graph) => Tensor[]): Promise<Float32Array[]> {
  const results = await workspace.run({ nodesMax: 16, threads: 1, build })
  return results.map((bytes) => new Float32Array(bytes))
}
