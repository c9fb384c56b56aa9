/** The kernel's ops beside products: what attention needs of new rows, attention, and the likeliest tokens. */
import { Arena } from './arena.ts'
import { attendByKernel, attendQuantised, KEY_BLOCK, rememberByKernel } from './attend-op.ts'
import { CANDIDATES_MAX, candidatesByKernel } from './candidates-op.ts'
import { compareTo, dot, noise, normed, refuse } from './check-numbers.ts'
import type { Graph } from './graph.ts'
import type { Tensor } from './handles.ts'
import type { Kernel } from './kernel.ts'
import type { Ggml } from './load.ts'
import { quantise } from './packed-product.ts'
import type { Workspace } from './workspace.ts'

const [WIDTH, KEY_HEADS, DIMENSIONS, EPSILON] = [64, 2, 32, 1e-5]
const STORED = WIDTH * KEY_HEADS
/** The sequence begins behind a block of cells that are another's. */
const START = KEY_BLOCK
const EXACT = 1e-4
/** Keys and values are stored in 16 bits, of which 8 count. */
const STORED_ROUGHLY = 0.02

type Case = { heads: number; rows: number; halves: boolean; norms: boolean }

/** Together they have every number of queries that look together; rows of the first see more cells than are scored at once. */
const CASES: readonly Case[] = [
  { heads: 3 * KEY_HEADS, rows: 140, halves: true, norms: true },
  { heads: KEY_HEADS, rows: 10, halves: false, norms: false },
]

export async function checkOps(ggml: Ggml, workspace: Workspace, kernel: Kernel): Promise<void> {
  for (const own of CASES) await checkAttention(ggml, workspace, kernel, own)
  await checkCandidates(workspace, kernel)
}

/** New rows, and what becomes of their heads: [heads, WIDTH] for each row. */
type Made = {
  qkv: Float32Array
  angles: Float32Array
  query: Float32Array
  key: Float32Array
  queries: Float32Array[]
  keys: Float32Array[]
}

function make({ heads, rows, halves, norms }: Case): Made {
  const stride = heads * WIDTH + 2 * STORED
  const qkv = noise(stride * rows, 41)
  const turns = noise((DIMENSIONS / 2) * rows, 23)
  const angles = new Float32Array(DIMENSIONS * rows)
  for (const [i, turn] of turns.entries()) {
    const at = DIMENSIONS * Math.floor(i / (DIMENSIONS / 2)) + (i % (DIMENSIONS / 2))
    angles[at] = Math.cos(3 * turn)
    angles[at + DIMENSIONS / 2] = Math.sin(3 * turn)
  }
  // Loud enough that few cells have most of the weight.
  const [query, key] = [noise(WIDTH, 17).map((x) => 2 * x), noise(WIDTH, 31).map((x) => 2 * x)]
  const headsOf = (row: number, from: number, count: number, norm: Float32Array): Float32Array => {
    const out = new Float32Array(count * WIDTH)
    for (let head = 0; head < count; head++) {
      const at = row * stride + from + head * WIDTH
      const own = qkv.slice(at, at + WIDTH)
      const turned = turn(norms ? normed(own, norm, EPSILON) : own, angles.subarray(row * DIMENSIONS), halves)
      out.set(turned, head * WIDTH)
    }
    return out
  }
  const each = Array.from({ length: rows }, (_, row) => row)
  const queries = each.map((row) => headsOf(row, 0, heads, query))
  const keys = each.map((row) => headsOf(row, heads * WIDTH, KEY_HEADS, key))
  return { qkv, angles, query, key, queries, keys }
}

/** Pairs turned by the row's angles: cosines, then sines. */
function turn(head: Float32Array, angles: Float32Array, halves: boolean): Float32Array {
  const pairs = DIMENSIONS / 2
  const out = head.slice()
  for (let pair = 0; pair < pairs; pair++) {
    const [a, b] = halves ? [pair, pair + pairs] : [2 * pair, 2 * pair + 1]
    const [x, y, cosine, sine] = [head[a] ?? 0, head[b] ?? 0, angles[pair] ?? 0, angles[pair + pairs] ?? 0]
    out[a] = x * cosine - y * sine
    out[b] = x * sine + y * cosine
  }
  return out
}

type Place = { until: number; from: number; to: number }

/** Rows see themselves and all before them. Four, three, two and one of them look together: they also see the same two rows behind them. */
function listPlaces(rows: number): Place[] {
  return Array.from({ length: rows }, (_, row) => {
    const end = row - (row % 10) + ([4, 7, 9, 10].find((edge) => row % 10 < edge) ?? 10)
    return { until: row + 1, from: Math.min(end, rows), to: Math.min(end + 2, rows) }
  })
}

async function checkAttention(ggml: Ggml, workspace: Workspace, kernel: Kernel, of: Case): Promise<void> {
  const made = make(of)
  const places = listPlaces(of.rows)
  const width = of.heads * WIDTH
  const arena = new Arena(ggml, 2)
  try {
    const cells = START + Math.ceil(of.rows / KEY_BLOCK) * KEY_BLOCK
    const [keys, values] = [arena.declare('BF16', [cells, STORED]), arena.declare('BF16', [STORED, cells])]
    arena.allocate()
    const build = (graph: Graph): Tensor[] => buildAttention(graph, kernel, of, { made, places, keys, values })
    const results = await workspace.run({ nodesMax: 32, threads: 1, build })
    const [queries, looked] = results.map((bytes) => new Float32Array(bytes))
    const query = (i: number): number => made.queries[Math.floor(i / width)]?.[i % width] ?? 0
    compareTo('new rows', queries, query, { length: width * of.rows, tolerance: EXACT })
    compareLooked(of, made, places, looked)
    const [rounded, other] = results.slice(2).map((bytes) => new Uint8Array(bytes))
    if (rounded === undefined || !rounded.every((byte, i) => byte === other?.[i])) refuse('attention in 8 bits')
  } finally {
    arena.dispose()
  }
}

type Parts = { made: Made; places: readonly Place[]; keys: Tensor; values: Tensor }

function buildAttention(graph: Graph, kernel: Kernel, of: Case, { made, places, keys, values }: Parts): Tensor[] {
  const { heads, rows, halves } = of
  const size = { width: heads * WIDTH, rows }
  const [query, key] = [graph.input('F32', [WIDTH], made.query), graph.input('F32', [WIDTH], made.key)]
  const written = Int32Array.from({ length: rows }, (_, row) => START + row)
  const news = {
    qkv: graph.input('F32', [size.width + 2 * STORED, rows], made.qkv),
    angles: graph.input('F32', [DIMENSIONS, rows], made.angles),
    cells: graph.input('I32', [rows], written),
    keys,
    values,
    norms: of.norms ? { query, key, epsilon: EPSILON } : undefined,
  }
  const queries = rememberByKernel(graph, kernel, news, {
    headWidth: WIDTH,
    heads,
    rows,
    dimensions: DIMENSIONS,
    halves,
  })
  const seen = Int32Array.from(places.flatMap(({ until, from, to }) => [START, until, from, to]))
  const attention = { queries, keys, values, places: graph.input('I32', [4, rows], seen) }
  const looked = attendByKernel(graph, kernel, attention, size)
  const rounded = quantise(graph, kernel, looked, { from: size.width, columns: rows })
  return [queries, looked, rounded.tensor, attendQuantised(graph, kernel, attention, size).tensor]
}

/** The first rows and the last, which see most: all of them would take too long. */
function compareLooked(
  { heads, rows }: Case,
  made: Made,
  places: readonly Place[],
  got: Float32Array | undefined,
): void {
  const width = heads * WIDTH
  for (const first of new Set([0, rows - 10])) {
    const expected = Array.from({ length: 10 }, (_, i) => look(heads, made, places, first + i))
    const part = got?.subarray(first * width, (first + 10) * width)
    const value = (i: number): number => expected[Math.floor(i / width)]?.[i % width] ?? 0
    compareTo('attention', part, value, { length: 10 * width, tolerance: STORED_ROUGHLY })
  }
}

/** soft_max(q·K / √WIDTH)·V of all heads of a row. */
function look(heads: number, { qkv, queries, keys }: Made, places: readonly Place[], row: number): Float32Array {
  const { until, from, to } = places[row] ?? { until: 0, from: 0, to: 0 }
  const seen = keys.flatMap((_, cell) => (cell < until || (cell >= from && cell < to) ? [cell] : []))
  const stride = heads * WIDTH + 2 * STORED
  const out = new Float32Array(heads * WIDTH)
  for (let head = 0; head < heads; head++) {
    const keyHead = Math.floor(head / (heads / KEY_HEADS))
    const powers = seen.map((cell) => {
      const score = dot(queries[row] ?? out, head, keys[cell] ?? out, keyHead, WIDTH)
      return Math.exp(score / Math.sqrt(WIDTH))
    })
    const total = powers.reduce((sum, power) => sum + power, 0)
    for (const [i, cell] of seen.entries()) {
      const [weight, at] = [(powers[i] ?? 0) / total, cell * stride + heads * WIDTH + STORED + keyHead * WIDTH]
      for (let d = 0; d < WIDTH; d++) out[head * WIDTH + d] = (out[head * WIDTH + d] ?? 0) + weight * (qkv[at + d] ?? 0)
    }
  }
  return out
}

/** The first row rises, so that each of its logits is a candidate for a while; every ninth token is banned. */
async function checkCandidates(workspace: Workspace, kernel: Kernel): Promise<void> {
  const [n, rows, k] = [1024, 2, CANDIDATES_MAX]
  const logits = noise(n * rows, 47).map((x, i) => (i < n ? i / 100 : 8 * x))
  const bias = Float32Array.from({ length: n }, (_, id) => (id % 9 === 0 ? -Infinity : 0))
  const [bytes = new ArrayBuffer(0)] = await workspace.run({
    nodesMax: 16,
    threads: 1,
    build: (graph) => {
      const given = { logits: graph.input('F32', [n, rows], logits), bias: graph.input('F32', [n], bias) }
      return [candidatesByKernel(graph, kernel, given, { k, rows })]
    },
  })
  const [ids, numbers] = [new Int32Array(bytes), new Float32Array(bytes)]
  for (let row = 0; row < rows; row++) {
    const powers = bias.map((less, id) => Math.exp((logits[row * n + id] ?? 0) + less))
    const total = powers.reduce((sum, power) => sum + power, 0)
    const likeliest = [...powers.keys()].sort((a, b) => (powers[b] ?? 0) - (powers[a] ?? 0) || a - b).slice(0, k)
    const found = new Map(Array.from({ length: k }, (_, i) => [ids[2 * k * row + i], numbers[2 * k * row + k + i]]))
    const chosen = Float32Array.from(likeliest, (id) => found.get(id) ?? Number.NaN)
    compareTo('candidates', chosen, (i) => (powers[likeliest[i] ?? 0] ?? 0) / total, { length: k, tolerance: EXACT })
  }
}
