import { decodeTensor } from '../weights/decode.ts'
import { encodeTensor, isWritable } from '../weights/encode.ts'
import { f16Bits } from '../weights/half.ts'
import { GGML_TYPES, GGML_TYPE_NAMES, tensorBytes, type GgmlTypeName } from '../weights/types.ts'
import { Arena } from './arena.ts'
import type { Graph } from './graph.ts'
import type { Tensor } from './handles.ts'
import type { Ggml } from './load.ts'
import { CHECKS, type Check } from './self-test-checks.ts'
import { Workspace } from './workspace.ts'

export type SelfTest = {
  /**
   * From so many columns on, a column of a product has the same bits whatever stands beside it, on this processor and for
   * all weight types: ggml takes other ways for few columns. Undefined: never.
   */
  columnsMin: number | undefined
  ms: number
}

let tested: Promise<SelfTest> | undefined

/** The self-test of the loaded library, run on the first call. */
export function selfTestOnce(ggml: Ggml): Promise<SelfTest> {
  tested ??= selfTest(ggml)
  return tested
}

const [FROM, TO, COLUMNS] = [256, 32, 17]
/** More would make small steps too slow. One is not among them: for one column ggml has kernels of their own everywhere. */
const COLUMNS_TRIED = [2, 4, 8]
/** Activations of eight bits leave sums of `FROM` products off by some hundredths; a wrong product is off by whole ones. */
const [EXACT, ROUGH] = [1e-4, 0.3]

/**
 * Runs each op that forwards use on small numbers and compares it with plain arithmetic (about 30 ms): a library of
 * another build, or a processor it was not made for, must not talk nonsense. Throws a sentence that names the op.
 */
export async function selfTest(ggml: Ggml): Promise<SelfTest> {
  const start = performance.now()
  const workspace = new Workspace(ggml)
  try {
    await checkOps(workspace)
    await checkProducts(ggml, workspace)
    const columnsMin = await findColumnsMin(ggml, workspace)
    return { columnsMin, ms: performance.now() - start }
  } finally {
    workspace.dispose()
  }
}

async function checkOps(workspace: Workspace): Promise<void> {
  const built: { check: Check; expected: readonly number[] }[] = []
  const results = await workspace.run({
    nodesMax: 256,
    threads: 1,
    build: (graph) =>
      CHECKS.map((check) => {
        const { tensor, expected } = check.build(graph)
        built.push({ check, expected })
        return tensor
      }),
  })
  for (const [i, { check, expected }] of built.entries()) {
    const bytes = results[i] ?? new ArrayBuffer(0)
    compare(check.name, check.integers === true ? new Int32Array(bytes) : new Float32Array(bytes), expected, 1e-5)
  }
}

async function checkProducts(ggml: Ggml, workspace: Workspace): Promise<void> {
  for (const type of GGML_TYPE_NAMES) {
    const x = wave(FROM * COLUMNS, 0.37)
    const { bytes, values } = weightsOf(type)
    const [result] = await withWeights(ggml, type, bytes, (weights) => multiply(workspace, weights, x, COLUMNS))
    const expected = Array.from({ length: COLUMNS * TO }, (_, i) => {
      const [column, row] = [Math.floor(i / TO), i % TO]
      let sum = 0
      for (let k = 0; k < FROM; k++) sum += (values[row * FROM + k] ?? 0) * (x[column * FROM + k] ?? 0)
      return sum
    })
    compare(`product with ${type}`, result ?? new Float32Array(), expected, type === 'F32' ? EXACT : ROUGH)
  }
}

async function findColumnsMin(ggml: Ggml, workspace: Workspace): Promise<number | undefined> {
  let unsteady = 0
  for (const type of GGML_TYPE_NAMES) {
    const x = wave(FROM * COLUMNS, 0.61)
    await withWeights(ggml, type, weightsOf(type).bytes, async (weights) => {
      const [whole] = await multiply(workspace, weights, x, COLUMNS)
      for (let count = COLUMNS - 1; count > unsteady; count--) {
        const [part] = await multiply(workspace, weights, x, count)
        if (part?.every((value, i) => Object.is(value, whole?.[i])) !== true) unsteady = count
      }
    })
  }
  return COLUMNS_TRIED.find((count) => count > unsteady)
}

function weightsOf(type: GgmlTypeName): { bytes: Uint8Array; values: Float32Array } {
  const bytes = isWritable(type) ? encodeTensor(type, wave(FROM * TO, 0.93)) : inventBlocks(type)
  return { bytes, values: decodeTensor(type, bytes) }
}

/** Any numbers, steps and minimums, and before them d and what follows it, so that weights are between -2 and 2. */
function inventBlocks(type: 'Q5_0' | 'Q5_1' | 'Q5_K'): Uint8Array {
  const bytes = Uint8Array.from({ length: tensorBytes(type, [FROM, TO]) }, (_, i) => (i * i * 37 + i * 11) >> 3)
  const view = new DataView(bytes.buffer)
  const [d, second] = { Q5_0: [1 / 16], Q5_1: [1 / 16, -1], Q5_K: [1 / 1024, 1 / 64] }[type]
  for (let at = 0; at < bytes.length; at += GGML_TYPES[type].bytes) {
    view.setUint16(at, f16Bits(d ?? 0), true)
    if (second !== undefined) view.setUint16(at + 2, f16Bits(second), true)
  }
  return bytes
}

async function withWeights<T>(
  ggml: Ggml,
  type: GgmlTypeName,
  bytes: Uint8Array,
  use: (weights: Tensor) => Promise<T>,
): Promise<T> {
  const arena = new Arena(ggml, 1)
  try {
    const weights = arena.declare(type, [FROM, TO])
    arena.allocate()
    arena.bytes(weights).set(bytes)
    return await use(weights)
  } finally {
    arena.dispose()
  }
}

async function multiply(
  workspace: Workspace,
  weights: Tensor,
  x: Float32Array,
  columns: number,
): Promise<Float32Array[]> {
  const build = (graph: Graph) => [
    graph.product(weights, graph.input('F32', [FROM, columns], x.subarray(0, FROM * columns))),
  ]
  const results = await workspace.run({ nodesMax: 16, threads: 1, build })
  return results.map((bytes) => new Float32Array(bytes))
}

function wave(length: number, step: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => Math.sin(1 + i * step))
}

/** Off by at most `tolerance`. */
function compare(name: string, got: Float32Array | Int32Array, expected: readonly number[], tolerance: number): void {
  const wrong = got.length !== expected.length || expected.some((value, i) => !near(got[i], value, tolerance))
  if (!wrong) return
  throw new Error(`ggml computes ${name} wrongly on this processor: please report it with what doctor prints.`)
}

function near(got: number | undefined, expected: number, off: number): boolean {
  return got === expected || Math.abs((got ?? Number.NaN) - expected) <= off
}
