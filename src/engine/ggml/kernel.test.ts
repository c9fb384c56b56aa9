import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import koffi from 'koffi'
import { delimiter, join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryFolder } from '../../../test/support/tiny-models.ts'
import { testedKernels } from '../../../test/support/kernel.ts'
import { decodeTensor } from '../weights/decode.ts'
import { encodeTensor } from '../weights/encode.ts'
import { Arena } from './arena.ts'
import { attendByKernel, KEY_BLOCK } from './attend-op.ts'
import { checkKernel } from './check-kernel.ts'
import { compileKernel } from './compile-kernel.ts'
import { findKernel } from './find-kernel.ts'
import type { Address } from './handles.ts'
import { KERNEL_OPS, PACKED_TYPES, type Kernel, type PackedType } from './kernel.ts'
import { loadGgml } from './load.ts'
import { multiplyChosen, multiplyPacked, quantise } from './packed-product.ts'
import { Workspace } from './workspace.ts'

const ggml = loadGgml()
const kernels = await testedKernels()
const [kernel] = kernels
const wave = (length: number, step: number) => Float32Array.from({ length }, (_, i) => Math.sin(1 + i * step))

test('a second start takes the compiled library from the folder that has it', async () => {
  const [empty, own] = [temporaryFolder(), temporaryFolder()]
  const first = await compileKernel([own])
  equal(await compileKernel([empty, own]), first)
  deepEqual(readdirSync(empty), [])
  equal(readdirSync(own).length, 1)
})

test('where no folder can be written, ggml computes and the reason names the folders', async () => {
  const file = join(temporaryFolder(), 'a file')
  writeFileSync(file, '')
  const { kernel: none, why } = await findKernel(ggml, [file])
  equal(none, undefined)
  match(why ?? '', /a file/)
})

test('without a compiler, or with one that fails, ggml computes and the reason says what to do', async () => {
  const before = process.env['PATH']
  const folder = temporaryFolder()
  try {
    process.env['PATH'] = folder
    await rejects(compileKernel([folder]), /no C compiler: install gcc or clang/)
    writeFileSync(join(folder, 'cc'), '#!/bin/sh\necho "x.c:1: error: no instruction set" >&2\nexit 1\n')
    chmodSync(join(folder, 'cc'), 0o755)
    process.env['PATH'] = [folder, '/bin', '/usr/bin'].join(delimiter)
    mkdirSync(join(folder, 'out'))
    await rejects(compileKernel([join(folder, 'out')]), /cc could not compile .* no instruction set/)
    ok(!readdirSync(join(folder, 'out')).some((name) => name.endsWith('.so')))
  } finally {
    process.env['PATH'] = before
  }
})

test('a kernel that computes wrongly is refused', async () => {
  if (kernel === undefined) return
  const spoilt: Kernel = {
    ...kernel,
    pack: (type, shape, file, packed) => {
      kernel.pack(type, shape, file, packed)
      packed.subarray(packed.length >> 1).fill(0x40)
    },
  }
  await rejects(checkKernel(ggml, spoilt), /computes .* wrongly/)
})

// A function of C that takes whatever it is given and does nothing with it.
const nothing = koffi.load('libc.so.6').symbol('getpid') as Address
for (const op of Object.keys(KERNEL_OPS)) {
  test(`a kernel whose ${op} does nothing is refused`, async () => {
    if (kernel === undefined) return
    await rejects(checkKernel(ggml, { ...kernel, ops: { ...kernel.ops, [op]: nothing } }), /wrongly on this processor/)
  })
}

test('nothing is packed that has not exactly the bytes of its shape', () => {
  if (kernel === undefined) return
  const file = encodeTensor('Q8_0', wave(64 * 32, 0.77))
  const packed = new Uint8Array(kernel.packedBytes('Q8_0', 64, 32))
  kernel.pack('Q8_0', [64, 32], file, packed)
  throws(() => kernel.pack('Q8_0', [64, 32], file, packed.subarray(1)), /bytes of packed Q8_0/)
  for (const wrong of [file.subarray(1), new Uint8Array(file.length + 34)]) {
    throws(() => kernel.pack('Q8_0', [64, 32], wrong, packed), /bytes of Q8_0/)
  }
  throws(() => kernel.pack('Q8_0', [64, 1], file.subarray(0, 68), new Uint8Array()), /cannot be packed/)
})

/** Products by the kernel of `matrices` matrices [from, to] with the columns, on so many threads. */
async function multiply(
  own: Kernel,
  type: PackedType,
  { from, to, matrices, used }: { from: number; to: number; matrices: number; used: number },
  x: Float32Array,
  ids: Int32Array | undefined,
  threads: number,
): Promise<{ y: Float32Array; weights: Float32Array }> {
  const file = encodeTensor(type, wave(from * to * matrices, 0.77))
  const arena = new Arena(ggml, 1)
  const workspace = new Workspace(ggml)
  try {
    const bytes = arena.declare('I8', [own.packedBytes(type, from, to * matrices)])
    arena.allocate()
    own.pack(type, [from, to * matrices], file, arena.bytes(bytes))
    const packed = { kernel: own, bytes, type, from, to, matrices }
    const columns = x.length / from
    const [y = new ArrayBuffer(0)] = await workspace.run({
      nodesMax: 16,
      threads,
      build: (graph) => {
        const quantised = quantise(graph, own, graph.input('F32', [from, columns], x), { from, columns })
        if (ids === undefined) return [multiplyPacked(graph, packed, quantised)]
        const rows = ids.length / used
        return [multiplyChosen(graph, packed, quantised, { ids: graph.input('I32', [used, rows], ids), used, rows })]
      },
    })
    return { y: new Float32Array(y), weights: decodeTensor(type, file) }
  } finally {
    workspace.dispose()
    arena.dispose()
  }
}

/** Blocks of 32 as multiples of their largest number / 127. */
function roundActivations(x: Float32Array): Float64Array {
  const rounded = new Float64Array(x.length)
  for (let at = 0; at < x.length; at += 32) {
    const block = x.subarray(at, at + 32)
    const most = block.reduce((top, value) => Math.max(top, Math.abs(value)), 0)
    for (const [i, value] of block.entries()) rounded[at + i] = (Math.round((value * 127) / most) * most) / 127
  }
  return rounded
}

/** [pairs, to], of weights [matrices, to, from] and columns [columns, from] rounded to 8 bits. */
function productsInFloat64(
  weights: Float32Array,
  { from, to }: { from: number; to: number },
  x: Float32Array,
  pairs: readonly { matrix: number; column: number }[],
): Float64Array {
  const rounded = roundActivations(x)
  const product = ({ matrix, column }: { matrix: number; column: number }, row: number): number => {
    let sum = 0
    for (let k = 0; k < from; k++) {
      sum += (weights[(matrix * to + row) * from + k] ?? 0) * (rounded[column * from + k] ?? 0)
    }
    return sum
  }
  return Float64Array.from(pairs.flatMap((pair) => Array.from({ length: to }, (_, row) => product(pair, row))))
}

function near(y: Float32Array, expected: Float64Array): void {
  equal(y.length, expected.length)
  const squares = (values: Float64Array): number => values.reduce((sum, value) => sum + value ** 2, 0)
  const rms = Math.sqrt(squares(expected.map((value, i) => (y[i] ?? Number.NaN) - value)) / squares(expected))
  ok(rms < 1e-5, `relative RMS ${rms}`)
}

for (const own of kernels) {
  for (const type of PACKED_TYPES) {
    test(`${own.isa}, ${type}: a column has the same bits among 1, 2, 7, 32 and 512, on one thread and two`, async () => {
      const shape = { from: 768, to: 192, matrices: 1, used: 1 }
      const x = wave(shape.from * 512, 0.31)
      const { y: whole } = await multiply(own, type, shape, x, undefined, 2)
      for (const columns of [1, 2, 7, 32, 512]) {
        for (const first of new Set([0, 512 - columns])) {
          const some = x.subarray(first * shape.from, (first + columns) * shape.from)
          const { y } = await multiply(own, type, shape, some, undefined, 1)
          deepEqual(y, whole.slice(first * shape.to, (first + columns) * shape.to))
        }
      }
    })

    test(`${own.isa}, ${type}: products equal float64 arithmetic on activations rounded to 8 bits, by matrices chosen for each row`, async () => {
      const shape = { from: 512, to: 96, matrices: 5, used: 3 }
      const rows = 41
      const ids = Int32Array.from({ length: rows * shape.used }, (_, i) => (i * 7 + Math.floor(i / 3)) % shape.matrices)
      for (const each of [1, shape.used]) {
        const x = wave(shape.from * rows * each, 0.43)
        const { y, weights } = await multiply(own, type, shape, x, ids, 2)
        const from = (pair: number) => (each === 1 ? Math.floor(pair / shape.used) : pair)
        const pairs = Array.from(ids, (matrix, pair) => ({ matrix, column: from(pair) }))
        near(y, productsInFloat64(weights, shape, x, pairs))
      }
    })

    test(`${own.isa}, ${type}: so do those of rows longer than the columns that fit into the second cache`, async () => {
      const shape = { from: 2 * 4096 + 256, to: 32, matrices: 1, used: 1 }
      const x = wave(shape.from * 9, 0.43)
      const { y, weights } = await multiply(own, type, shape, x, undefined, 2)
      const pairs = Array.from({ length: 9 }, (_, column) => ({ matrix: 0, column }))
      near(y, productsInFloat64(weights, shape, x, pairs))
    })
  }
}

test('what is no number stays none, and spoils no other column', async () => {
  if (kernel === undefined) return
  const shape = { from: 64, to: 32, matrices: 1, used: 1 }
  const x = wave(shape.from * 3, 0.5)
  const { y: clean } = await multiply(kernel, 'Q8_0', shape, x, undefined, 1)
  for (const bad of [Number.NaN, Infinity, -Infinity]) {
    const spoilt = x.with(shape.from + 5, bad)
    const { y } = await multiply(kernel, 'Q8_0', shape, spoilt, undefined, 1)
    ok(y.subarray(shape.to, 2 * shape.to).every(Number.isNaN))
    deepEqual(y.slice(0, shape.to), clean.slice(0, shape.to))
    deepEqual(y.slice(2 * shape.to), clean.slice(2 * shape.to))
  }
})

describe('attention equals float64 arithmetic, whatever stands beside a row', () => {
  const [cells, kvHeads] = [640, 2]
  for (const { width, group, type } of [
    { width: 64, group: 3, type: 'BF16' },
    { width: 16, group: 1, type: 'F32' },
    { width: 128, group: 8, type: 'F32' },
    { width: 48, group: 5, type: 'BF16' },
  ] as const) {
    for (const own of kernels)
      test(`${own.isa}: heads of ${width}, ${group} a key head, ${type}`, async () => {
        equal(own.attends(width), true)
        const heads = kvHeads * group
        const all = kvHeads * width
        const keys = decodeTensor(type, encodeTensor(type, wave(cells * all, 0.013)))
        const values = decodeTensor(type, encodeTensor(type, wave(cells * all, 0.029)))
        const rows = [
          [0, 1, 0, 0],
          // These look together, though they end in other chunks.
          [0, 2, 0, 0],
          [0, 33, 0, 0],
          [0, 130, 0, 0],
          [0, 131, 0, 0],
          [64, 0, 3, 4],
          [64, 129, 200, 233],
          [0, 640, 0, 0],
          [320, 5, 17, 320],
        ]
        const q = wave(width * heads * rows.length, 0.17).map((x) => 3 * x)
        const attend = async (which: readonly number[], threads: number) => {
          const arena = new Arena(ggml, 2)
          const workspace = new Workspace(ggml)
          try {
            const [byFeature, byCell] = [arena.declare(type, [cells, all]), arena.declare(type, [all, cells])]
            arena.allocate()
            const transposed = Float32Array.from({ length: cells * all }, (_, i) => {
              const [block, rest] = [Math.floor(i / (all * KEY_BLOCK)), i % (all * KEY_BLOCK)]
              const [feature, lane] = [Math.floor(rest / KEY_BLOCK), rest % KEY_BLOCK]
              return keys[(block * KEY_BLOCK + lane) * all + feature] ?? 0
            })
            arena.bytes(byFeature).set(encodeTensor(type, transposed))
            arena.bytes(byCell).set(encodeTensor(type, values))
            const queried = which.flatMap((row) => [...q.subarray(row * width * heads, (row + 1) * width * heads)])
            const places = Int32Array.from(which.flatMap((row) => rows[row] ?? []))
            const [y = new ArrayBuffer(0)] = await workspace.run({
              nodesMax: 16,
              threads,
              build: (graph) => {
                const queries = graph.input('F32', [width, heads, which.length], Float32Array.from(queried))
                const seen = graph.input('I32', [4, which.length], places)
                const attention = { queries, keys: byFeature, values: byCell, places: seen }
                return [attendByKernel(graph, own, attention, { width: width * heads, rows: which.length })]
              },
            })
            return new Float32Array(y)
          } finally {
            workspace.dispose()
            arena.dispose()
          }
        }
        const whole = await attend([...rows.keys()], 1)
        for (const [row, [start = 0, until = 0, from = 0, to = 0]] of rows.entries()) {
          deepEqual(await attend([row], 1), whole.slice(row * width * heads, (row + 1) * width * heads))
          const seen = Array.from({ length: 640 }, (_, i) => i).filter((i) => i < until || (i >= from && i < to))
          for (let head = 0; head < heads; head++) {
            const at = Math.floor(head / group) * width
            const query = q.subarray((row * heads + head) * width, (row * heads + head + 1) * width)
            const scores = seen.map((cell) => {
              const sum = query.reduce((total, x, d) => total + x * (keys[(start + cell) * all + at + d] ?? 0), 0)
              return sum / Math.sqrt(width)
            })
            const most = Math.max(...scores)
            const weights = scores.map((score) => Math.exp(score - most))
            const total = weights.reduce((sum, weight) => sum + weight, 0)
            for (let d = 0; d < width; d++) {
              const expected =
                seen.reduce(
                  (sum, cell, i) => sum + (weights[i] ?? 0) * (values[(start + cell) * all + at + d] ?? 0),
                  0,
                ) / total
              ok(Math.abs((whole[(row * heads + head) * width + d] ?? Number.NaN) - expected) < 3e-6)
            }
          }
        }
      })
  }
})
