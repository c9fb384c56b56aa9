import { decodeTensor } from '../weights/decode.ts'
import { encodeTensor } from '../weights/encode.ts'
import { Arena } from './arena.ts'
import { PACKED_TYPES, type Kernel, type PackedType } from './kernel.ts'
import type { Ggml } from './load.ts'
import { multiplyChosen, multiplyPacked, quantise, type Packed } from './packed-product.ts'
import { Workspace } from './workspace.ts'

/** Two matrices, so that choosing between them shows. */
const [FROM, TO, COLUMNS, MATRICES] = [256, 64, 29, 2]
/** Of the largest number: 8 bits round to half of 1/127, and errors of 256 products add up like a random walk. */
const TOLERANCE = 0.02

/**
 * Compares products of the kernel with plain arithmetic, and every column among others with itself alone (about 10 ms).
 * Throws a sentence: what a compiler made for this processor must not talk nonsense.
 */
export async function checkKernel(ggml: Ggml, kernel: Kernel): Promise<void> {
  const workspace = new Workspace(ggml)
  try {
    for (const type of PACKED_TYPES) await testType(ggml, workspace, kernel, type)
  } finally {
    workspace.dispose()
  }
}

async function testType(ggml: Ggml, workspace: Workspace, kernel: Kernel, type: PackedType): Promise<void> {
  const file = encodeTensor(type, noise(FROM * TO * MATRICES, 0.93))
  const values = decodeTensor(type, file)
  const x = noise(FROM * COLUMNS, 0.37)
  const arena = new Arena(ggml, 1)
  try {
    const size = kernel.packedBytes(type, FROM, TO * MATRICES)
    const bytes = arena.declare('I8', [size])
    arena.allocate()
    kernel.pack(type, [FROM, TO * MATRICES], file, arena.bytes(bytes))
    const packed: Packed = { kernel, bytes, type, from: FROM, to: TO, matrices: MATRICES }
    const whole = await multiply(workspace, packed, x, COLUMNS)
    compare(type, whole.plain, (column, row) => dot(values, row, x, column))
    compare(type, whole.chosen, (column, row) => dot(values, TO * (column % MATRICES) + row, x, column))
    for (const columns of [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 17]) {
      const part = await multiply(workspace, packed, x, columns)
      const same = part.plain.every((y, i) => Object.is(y, whole.plain[i]))
      if (!same) throw new Error(`a column of ${type} depends on the columns beside it (among ${columns})`)
    }
  } finally {
    arena.dispose()
  }
}

type Products = { plain: Float32Array; chosen: Float32Array }

/** By the first matrix, and by the matrix that has the column's number, modulo their count. */
async function multiply(workspace: Workspace, packed: Packed, x: Float32Array, columns: number): Promise<Products> {
  const results = await workspace.run({
    nodesMax: 16,
    threads: 1,
    build: (graph) => {
      const numbers = graph.input('F32', [FROM, columns], x.subarray(0, FROM * columns))
      const quantised = quantise(graph, packed.kernel, numbers, { from: FROM, columns })
      const which = Int32Array.from({ length: columns }, (_, column) => column % MATRICES)
      const chosen = { ids: graph.input('I32', [1, columns], which), used: 1, rows: columns }
      return [multiplyPacked(graph, packed, quantised), multiplyChosen(graph, packed, quantised, chosen)]
    },
  })
  const [plain = new ArrayBuffer(0), chosen = new ArrayBuffer(0)] = results
  return { plain: new Float32Array(plain), chosen: new Float32Array(chosen) }
}

function compare(type: PackedType, got: Float32Array, expected: (column: number, row: number) => number): void {
  const wanted = Float64Array.from({ length: TO * COLUMNS }, (_, i) => expected(Math.floor(i / TO), i % TO))
  const most = wanted.reduce((top, value) => Math.max(top, Math.abs(value)), 0)
  const right = got.length === wanted.length && got.every((y, i) => Math.abs(y - (wanted[i] ?? 0)) <= TOLERANCE * most)
  if (!right) throw new Error(`native/product.c computes ${type} wrongly on this processor: please report it.`)
}

function dot(weights: Float32Array, row: number, x: Float32Array, column: number): number {
  let sum = 0
  for (let k = 0; k < FROM; k++) sum += (weights[row * FROM + k] ?? 0) * (x[column * FROM + k] ?? 0)
  return sum
}

/** Numbers that do not cancel one another in sums, as waves would. */
function noise(length: number, step: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => Math.sin((i + 1) ** 2 * step))
}
