/** A model in float64: the weights as decoded from the very bytes, nothing rounded afterwards. Only tests use it. */
import type { ModelSpec } from '../../src/engine/model/spec.ts'
import { decodeTensor } from '../../src/engine/weights/decode.ts'
import type { ModelFile } from '../../src/engine/weights/model-file.ts'

/** Rows of `from` numbers, one after the other. */
export type Matrix = { values: Float32Array; from: number; to: number }

export type ReferenceModel = { spec: ModelSpec; find(name: string): Matrix | undefined; get(name: string): Matrix }

export async function loadReference(file: ModelFile): Promise<ReferenceModel> {
  const matrices = new Map<string, Matrix>()
  for (const [name, place] of file.tensors) {
    const values = decodeTensor(place.type, await file.read(place))
    const from = place.shape[0] ?? 1
    matrices.set(name, { values, from, to: values.length / from })
  }
  const get = (name: string): Matrix => {
    const matrix = matrices.get(`${name}.weight`)
    if (matrix === undefined) throw new Error(`no tensor ${name}`)
    return matrix
  }
  return { spec: file.spec, get, find: (name) => matrices.get(`${name}.weight`) }
}

/** W·x; rows `first` to `first + count` of W only, where they are given. */
export function times(matrix: Matrix, x: Float64Array, first = 0, count = matrix.to): Float64Array {
  const y = new Float64Array(count)
  for (let row = 0; row < count; row++) {
    const at = (first + row) * matrix.from
    let sum = 0
    for (let i = 0; i < matrix.from; i++) sum += (matrix.values[at + i] ?? 0) * (x[i] ?? 0)
    y[row] = sum
  }
  return y
}

export function rowOf(matrix: Matrix, row: number): Float64Array {
  return Float64Array.from(matrix.values.subarray(row * matrix.from, (row + 1) * matrix.from))
}

export function plus(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => value + (b[i] ?? 0))
}

export function rmsNorm(x: Float64Array, weight: Matrix, epsilon: number): Float64Array {
  const mean = x.reduce((sum, value) => sum + value * value, 0) / x.length
  const scale = 1 / Math.sqrt(mean + epsilon)
  return x.map((value, i) => value * scale * (weight.values[i] ?? 0))
}

export function softMax(x: Float64Array): Float64Array {
  const max = x.reduce((best, value) => Math.max(best, value), -Infinity)
  const powers = x.map((value) => Math.exp(value - max))
  const sum = powers.reduce((total, value) => total + value, 0)
  return powers.map((value) => value / sum)
}

export function silu(x: number): number {
  return x / (1 + Math.exp(-x))
}
