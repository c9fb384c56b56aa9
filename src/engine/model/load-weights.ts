import { stat } from 'node:fs/promises'
import { Arena } from '../ggml/arena.ts'
import type { Tensor } from '../ggml/handles.ts'
import type { Ggml } from '../ggml/load.ts'
import { decodeTensor } from '../weights/decode.ts'
import type { ModelFile, TensorPlace } from '../weights/model-file.ts'
import type { GgmlTypeName } from '../weights/types.ts'
import type { Adapter, Linear, Matrix } from './linear.ts'
import type { ModelSpec } from './spec.ts'
import { offsetsWidth, splitBytes, splitOffsets } from './split-offsets.ts'

/** `file`: as the file has them. `f32`: decoded, for proofs. */
export type Precision = 'file' | 'f32'

export type LayerWeights = {
  attentionNorm: Tensor
  /** Rows: queries, keys, values. */
  qkv: Linear
  queryNorm: Tensor | undefined
  keyNorm: Tensor | undefined
  attentionOutput: Linear
  feedForwardNorm: Tensor
  /** Rows: gate, up. */
  dense: { gateUp: Linear; down: Linear } | undefined
  experts: { router: Tensor; gate: Tensor; up: Tensor; down: Tensor } | undefined
  adapters: { qkv: Adapter; output: Adapter; gateUp: Adapter | undefined; down: Adapter | undefined } | undefined
}

export type Weights = {
  embedding: Tensor
  head: Tensor
  outputNorm: Tensor
  /** [width, 1]: stands for the mask token in adapted rows. */
  maskVector: Tensor | undefined
  layers: LayerWeights[]
  /** Bytes held, those shared with other models included. */
  bytes: number
  /** Frees what no other model uses; all tensors are dead then. */
  release(): void
}

/** Tensors of one file that lie one after the other in memory, as one matrix. */
type Piece = { names: string[]; path: string; type: GgmlTypeName; shape: number[] }

/** What one file has given: shared by all models that name it. */
type Deposit = { arena: Arena; tensors: ReadonlyMap<string, Matrix>; users: number }

/** The matrices that every row meets in every layer. */
const IN_LAYER = /^blk\.\d+\.(attn_[qkv]|attn_output|ffn_(gate|up|down))\.weight$/

const deposits = new Map<string, Promise<Deposit>>()

/**
 * Puts a model's weights into memory. Files that another loaded model uses too (a common base) are loaded once.
 * Throws a sentence when memory is short.
 */
export async function loadWeights(ggml: Ggml, file: ModelFile, precision: Precision): Promise<Weights> {
  const pieces = listPieces(file)
  const keys: string[] = []
  const tensors = new Map<string, Matrix>()
  let bytes = 0
  try {
    for (const [path, own] of Map.groupBy(pieces, (piece) => piece.path)) {
      const { mtimeMs, size } = await stat(path)
      const key = JSON.stringify([path, mtimeMs, size, precision, own.map((piece) => piece.names)])
      const deposit = await takeDeposit(key, () => fillDeposit(ggml, file, own, precision))
      keys.push(key)
      bytes += deposit.arena.size
      for (const [name, tensor] of deposit.tensors) tensors.set(name, tensor)
    }
  } catch (error) {
    await Promise.all(keys.map(giveBack))
    throw error
  }
  const release = () => void Promise.all(keys.map(giveBack))
  return { ...arrange(file.spec, tensors), bytes, release }
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

async function fillDeposit(
  ggml: Ggml,
  file: ModelFile,
  pieces: readonly Piece[],
  precision: Precision,
): Promise<Deposit> {
  const arena = new Arena(ggml, pieces.length * 2)
  try {
    const declared = pieces.map((piece) => ({ piece, matrix: declarePiece(arena, piece, precision) }))
    arena.allocate('raw')
    for (const { piece, matrix } of declared) await fillPiece(file, piece, arena, matrix)
    const tensors = new Map(declared.map(({ piece, matrix }) => [piece.names.join('+'), matrix]))
    return { arena, tensors, users: 0 }
  } catch (error) {
    arena.dispose()
    throw error
  }
}

function declarePiece(arena: Arena, piece: Piece, precision: Precision): Matrix {
  const { type, shape } = piece
  if (precision === 'f32') return { weights: arena.declare('F32', shape), offsets: undefined }
  if (type !== 'Q4_1' || !IN_LAYER.test(piece.names[0] ?? '')) {
    return { weights: arena.declare(type, shape), offsets: undefined }
  }
  const [from = 0, to = 0] = shape
  return { weights: arena.declare('Q4_0', shape), offsets: arena.declare('F32', [offsetsWidth(from), to]) }
}

/** Bytes of rows concatenate: each row is packed by itself. */
async function fillPiece(file: ModelFile, piece: Piece, arena: Arena, matrix: Matrix): Promise<void> {
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
function listPieces(file: ModelFile): Piece[] {
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
  return [...fused, ...single].flatMap(pieceOf)
}

function pieceOf(places: readonly TensorPlace[]): Piece[] {
  const [first] = places
  if (first === undefined) return []
  const rows = places.reduce((sum, place) => sum + (place.shape[1] ?? 1), 0)
  const shape = places.length === 1 ? [...first.shape] : [first.shape[0] ?? 1, rows]
  return [{ names: places.map((place) => place.name), path: first.path, type: first.type, shape }]
}

type Finder = { get(name: string): Tensor; find(name: string): Tensor | undefined }

function arrange(spec: ModelSpec, tensors: ReadonlyMap<string, Matrix>): Omit<Weights, 'bytes' | 'release'> {
  const finder: Finder = {
    find: (name) => tensors.get(`${name}.weight`)?.weights,
    get: (name) => {
      const tensor = tensors.get(`${name}.weight`)?.weights
      if (tensor === undefined) throw new Error(`the tensor ${name}.weight was not loaded`)
      return tensor
    },
  }
  const embedding = finder.get('token_embd')
  return {
    embedding,
    head: spec.tied ? embedding : finder.get('output'),
    outputNorm: finder.get('output_norm'),
    maskVector: finder.find('mask_embd'),
    layers: Array.from({ length: spec.layers }, (_, i) => arrangeLayer(spec, tensors, finder, `blk.${i}`)),
  }
}

function arrangeLayer(
  spec: ModelSpec,
  tensors: ReadonlyMap<string, Matrix>,
  { get, find }: Finder,
  at: string,
): LayerWeights {
  const { width, heads, kvHeads, headWidth, feedForward } = spec
  const queries = heads * headWidth
  const linear = (names: string[], from: number, to: number): Linear => {
    const keys = names.map((name) => `${at}.${name}.weight`)
    const whole = tensors.get(keys.join('+'))
    const single = keys.map((key) => tensors.get(key)).filter((matrix) => matrix !== undefined)
    return { parts: whole === undefined ? single : [whole], from, to }
  }
  const adapter = (name: string): Adapter => ({
    a: get(`${at}.${name}.adapter_a`),
    b: get(`${at}.${name}.adapter_b`),
  })
  const hasDense = feedForward > 0
  return {
    attentionNorm: get(`${at}.attn_norm`),
    qkv: linear(['attn_q', 'attn_k', 'attn_v'], width, queries + 2 * kvHeads * headWidth),
    queryNorm: find(`${at}.attn_q_norm`),
    keyNorm: find(`${at}.attn_k_norm`),
    attentionOutput: linear(['attn_output'], queries, width),
    feedForwardNorm: get(`${at}.ffn_norm`),
    dense: hasDense
      ? {
          gateUp: linear(['ffn_gate', 'ffn_up'], width, 2 * feedForward),
          down: linear(['ffn_down'], feedForward, width),
        }
      : undefined,
    experts:
      spec.router === undefined
        ? undefined
        : {
            router: get(`${at}.ffn_gate_inp`),
            gate: get(`${at}.ffn_gate_exps`),
            up: get(`${at}.ffn_up_exps`),
            down: get(`${at}.ffn_down_exps`),
          },
    adapters:
      spec.adapterRank === 0
        ? undefined
        : {
            qkv: adapter('attn_qkv'),
            output: adapter('attn_output'),
            gateUp: hasDense ? adapter('ffn_gate_up') : undefined,
            down: hasDense ? adapter('ffn_down') : undefined,
          },
  }
}
