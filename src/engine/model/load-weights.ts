import { stat } from 'node:fs/promises'
import { Arena } from '../ggml/arena.ts'
import { PACKED_TYPES, type Kernel, type PackedType } from '../ggml/kernel.ts'
import type { Ggml } from '../ggml/load.ts'
import type { Packed } from '../ggml/packed-product.ts'
import { decodeTensor } from '../weights/decode.ts'
import type { ModelFile, TensorPlace } from '../weights/model-file.ts'
import type { GgmlTypeName } from '../weights/types.ts'
import { arrangeWeights, type Weights } from './arrange-weights.ts'
import type { Matrix, Plain } from './linear.ts'
import { offsetsWidth, splitBytes, splitOffsets } from './split-offsets.ts'

/** `file`: as the file has them. `f32`: decoded, for proofs. */
export type Precision = 'file' | 'f32'

/** How matrices are held: with a kernel, those that it can pack are packed. */
export type Holding = { precision: Precision; kernel: Kernel | undefined }

export type LoadedWeights = Weights & {
  /** Bytes held, those shared with other models included. */
  bytes: number
  /** All products are the kernel's. */
  packed: boolean
  /** Frees what no other model uses; all tensors are dead then. */
  release(): void
}

/** Tensors of one file that lie one after the other in memory, as one matrix, known as `key`. */
type Piece = { key: string; names: string[]; path: string; type: GgmlTypeName; shape: number[] }

/** What one file has given: shared by all models that name it. */
type Deposit = { arena: Arena; tensors: ReadonlyMap<string, Matrix>; users: number }

/** The matrices that every row meets in every layer. */
const IN_LAYER = /^blk\.\d+\.(attn_[qkv]|attn_output|ffn_(gate|up|down))\.weight$/

/** These meet rows as wholes; not the embedding, whose rows are looked up, nor what is too small to pay (norms, routers). */
const PRODUCTS = /^(output|blk\.\d+\.(attn_[qkv]|attn_output|ffn_(gate|up|down)(_exps)?|\w+\.adapter_[ab]))\.weight$/

const deposits = new Map<string, Promise<Deposit>>()

/**
 * Puts a model's weights into memory. Files that another loaded model uses too (a common base) are loaded once.
 * Throws a sentence when memory is short.
 */
export async function loadWeights(ggml: Ggml, file: ModelFile, holding: Holding): Promise<LoadedWeights> {
  const pieces = listPieces(file, holding)
  const keys: string[] = []
  const tensors = new Map<string, Matrix>()
  let bytes = 0
  try {
    for (const [path, own] of Map.groupBy(pieces, (piece) => piece.path)) {
      const { mtimeMs, size } = await stat(path)
      const key = JSON.stringify([
        path,
        mtimeMs,
        size,
        holding.precision,
        holding.kernel?.isa,
        own.map((piece) => piece.key),
      ])
      const deposit = await takeDeposit(key, () => fillDeposit(ggml, file, own, holding))
      keys.push(key)
      bytes += deposit.arena.size
      for (const [name, tensor] of deposit.tensors) tensors.set(name, tensor)
    }
  } catch (error) {
    await Promise.all(keys.map(giveBack))
    throw error
  }
  const release = () => void Promise.all(keys.map(giveBack))
  const products = tensors.entries().filter(([key]) => isProduct(key))
  // A head of its own, or the tied one once more; a router is small and always ggml's.
  const mayBe = tensors.has('output.weight') && file.spec.router === undefined
  const packed = mayBe && products.every(([, matrix]) => matrix.packed !== undefined)
  return { ...arrangeWeights(file.spec, tensors), bytes, packed, release }
}

async function takeDeposit(key: string, fill: () => Promise<Deposit>): Promise<Deposit> {
  const filling = deposits.get(key) ?? fill()
  deposits.set(key, filling)
  try {
    const deposit = await filling
    deposit.users += 1
    return deposit
  } catch (error) {
    deposits.delete(key)
    throw error
  }
}

async function giveBack(key: string): Promise<void> {
  const deposit = await deposits.get(key)
  if (deposit === undefined) return
  deposit.users -= 1
  if (deposit.users > 0) return
  deposits.delete(key)
  deposit.arena.dispose()
}

async function fillDeposit(ggml: Ggml, file: ModelFile, pieces: readonly Piece[], holding: Holding): Promise<Deposit> {
  const arena = new Arena(ggml, pieces.length * 2)
  try {
    const declared = pieces.map((piece) => ({ piece, matrix: declarePiece(arena, piece, holding) }))
    arena.allocate('raw')
    for (const { piece, matrix } of declared) await fillPiece(file, piece, arena, matrix)
    const tensors = new Map(declared.map(({ piece, matrix }) => [piece.key, matrix]))
    return { arena, tensors, users: 0 }
  } catch (error) {
    arena.dispose()
    throw error
  }
}

function declarePiece(arena: Arena, piece: Piece, { precision, kernel }: Holding): Matrix {
  const { type, shape } = piece
  if (precision === 'f32') return { weights: arena.declare('F32', shape), offsets: undefined }
  const packed = kernel === undefined ? undefined : declarePacked(arena, piece, kernel)
  if (packed !== undefined) return { packed }
  if (type !== 'Q4_1' || !IN_LAYER.test(piece.names[0] ?? '')) {
    return { weights: arena.declare(type, shape), offsets: undefined }
  }
  const [from = 0, to = 0] = shape
  return { weights: arena.declare('Q4_0', shape), offsets: arena.declare('F32', [offsetsWidth(from), to]) }
}

/** Undefined where it is no matrix of products, or of a type or shape that the kernel does not know. */
function declarePacked(arena: Arena, { key, type, shape }: Piece, kernel: Kernel): Packed | undefined {
  const [from = 0, to = 0, matrices = 1] = shape
  if (!isPackedType(type) || !isProduct(key)) return undefined
  if (kernel.packedBytes(type, from, to) === 0) return undefined
  const size = kernel.packedBytes(type, from, to * matrices)
  return { kernel, bytes: arena.declare('I8', [size]), type, from, to, matrices }
}

function canPack({ type, shape }: Piece, kernel: Kernel | undefined): boolean {
  const [from = 0, to = 0] = shape
  return kernel !== undefined && isPackedType(type) && kernel.packedBytes(type, from, to) > 0
}

function isProduct(key: string): boolean {
  return key.split('+').every((name) => PRODUCTS.test(name))
}

function isPackedType(type: GgmlTypeName): type is PackedType {
  return PACKED_TYPES.some((name) => name === type)
}

async function fillPiece(file: ModelFile, piece: Piece, arena: Arena, matrix: Matrix): Promise<void> {
  if (matrix.packed === undefined) return fillPlain(file, piece, arena, matrix)
  const { bytes, type, from, to, matrices, kernel } = matrix.packed
  const places = piece.names.map((name) => file.get(name))
  const rows = new Uint8Array(places.reduce((sum, place) => sum + place.bytes, 0))
  let at = 0
  for (const place of places) {
    await file.read(place, rows.subarray(at, at + place.bytes))
    at += place.bytes
  }
  kernel.pack(type, [from, to * matrices], rows, arena.bytes(bytes))
}

/** Bytes of rows concatenate: each row is packed by itself. */
async function fillPlain(file: ModelFile, piece: Piece, arena: Arena, matrix: Plain): Promise<void> {
  const weights = arena.bytes(matrix.weights)
  const offsets = matrix.offsets === undefined ? undefined : new Float32Array(arena.bytes(matrix.offsets).buffer)
  // Rows of offsets are wider than what is written into them, and the memory is raw.
  offsets?.fill(0)
  const size = piece.names.reduce((sum, name) => sum + file.get(name).bytes, 0)
  let [at, row] = [0, 0]
  for (const name of piece.names) {
    const place = file.get(name)
    const [from = 1, to = 1] = place.shape
    if (offsets !== undefined) {
      const stride = offsetsWidth(from)
      const target = {
        weights: weights.subarray(at, at + splitBytes(place.bytes)),
        offsets: offsets.subarray(row * stride),
      }
      splitOffsets(await file.read(place), from, target)
      at += target.weights.length
    } else if (weights.length === size) {
      await file.read(place, weights.subarray(at, at + place.bytes))
      at += place.bytes
    } else {
      const numbers = decodeTensor(place.type, await file.read(place))
      weights.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), at)
      at += numbers.byteLength
    }
    row += to
  }
}

/** Queries, keys and values become one matrix where their types agree, so do gate and up; all else stays single. */
function listPieces(file: ModelFile, { kernel }: Holding): Piece[] {
  const { spec } = file
  const groups: string[][] = []
  for (let i = 0; i < spec.layers; i++) {
    groups.push(['q', 'k', 'v'].map((name) => `blk.${i}.attn_${name}.weight`))
    if (spec.feedForward > 0) groups.push(['gate', 'up'].map((name) => `blk.${i}.ffn_${name}.weight`))
  }
  const fused = groups
    .map((names) => names.map((name) => file.get(name)))
    .filter((places) => places.every(({ type, path }) => type === places[0]?.type && path === places[0].path))
  const inFused = new Set(fused.flat().map((place) => place.name))
  const single = [...file.tensors.values()].filter((place) => !inFused.has(place.name)).map((place) => [place])
  const pieces = [...fused, ...single].flatMap((places) => pieceOf(places))
  // A tied head is the embedding once more, in the kernel's order: its rows are looked up in the other.
  const head = spec.tied ? pieceOf([file.get('token_embd.weight')], 'output.weight') : []
  return [...pieces, ...head.filter((piece) => canPack(piece, kernel))]
}

function pieceOf(places: readonly TensorPlace[], key?: string): Piece[] {
  const [first] = places
  if (first === undefined) return []
  const rows = places.reduce((sum, place) => sum + (place.shape[1] ?? 1), 0)
  const shape = places.length === 1 ? [...first.shape] : [first.shape[0] ?? 1, rows]
  const names = places.map((place) => place.name)
  return [{ key: key ?? names.join('+'), names, path: first.path, type: first.type, shape }]
}
