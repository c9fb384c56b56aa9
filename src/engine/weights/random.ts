import { basename, dirname, join } from 'node:path'
import { fileSha256 } from './checksum.ts'
import type { WritableType } from './encode.ts'
import { WeightsError } from './errors.ts'
import { ADDITIONS } from './families.ts'
import type { GgufValue } from './gguf/format.ts'
import { GgufWriter } from './gguf/writer.ts'
import { noisyBytes } from './random/noise.ts'
import type { NoiseBank, NoisyTensor } from './random/noise.ts'
import { baseKeys, ownKeys, planTensors } from './random/plan.ts'
import { SHAPES } from './random/shapes.ts'

/** name and what it is like, for `models random --help`. */
export const RANDOM_SHAPES: readonly { name: string; about: string }[] = Object.entries(SHAPES).map(
  ([name, { about }]) => ({ name, about }),
)

export type RandomModel = {
  /** One of RANDOM_SHAPES. */
  like: string
  /** The same seed and shape give the same bytes, on every machine. */
  seed: number
  /** Of the matrices; default: the shape's own. Where rows are no whole blocks: F16. */
  type?: WritableType
  /** Causal-context shapes: write `STEM-base.gguf` beside, and additions that name it, as the bundled pair is made. */
  separateBase?: boolean
  /** Bytes written so far and in all. */
  onProgress?: (written: number, all: number) => void
}

/** Writes random weights of a known shape as a model that loads and serves. Throws WeightsError for an unknown shape. */
export async function writeRandomModel(path: string, wish: RandomModel): Promise<void> {
  const known = SHAPES[wish.like]
  if (known === undefined) {
    throw new WeightsError(`there is no shape ${wish.like}; known are ${Object.keys(SHAPES).join(', ')}`)
  }
  const shape = { ...known, type: wish.type ?? known.type }
  const keys = baseKeys(wish.like, shape)
  const tensors = planTensors(shape)
  if (wish.separateBase !== true) {
    await writeTensors(path, [...keys, ...ownKeys(shape)], tensors, wish)
    return
  }
  if (shape.attention !== 'causal-context') throw new WeightsError(`${wish.like} has no additions to keep apart`)
  const basePath = join(dirname(path), `${basename(path, '.gguf')}-base.gguf`)
  await writeTensors(
    basePath,
    keys,
    tensors.filter(({ name }) => !isAddition(name)),
    wish,
  )
  const naming: [string, GgufValue][] = [
    ['general.architecture', { type: 'string', value: ADDITIONS }],
    ['general.name', { type: 'string', value: `random ${wish.like}` }],
    ['unmask.version', { type: 'u32', value: 1 }],
    ['unmask.base.file', { type: 'string', value: basename(basePath) }],
    ['unmask.base.sha256', { type: 'string', value: await fileSha256(basePath) }],
  ]
  await writeTensors(
    path,
    [...naming, ...ownKeys(shape)],
    tensors.filter(({ name }) => isAddition(name)),
    wish,
  )
}

function isAddition(name: string): boolean {
  return (
    name === 'mask_embd.weight' || name.includes('.adapter_') || name.includes('_exps') || name.includes('gate_inp')
  )
}

async function writeTensors(
  path: string,
  keys: [string, GgufValue][],
  tensors: NoisyTensor[],
  { seed, onProgress }: RandomModel,
): Promise<void> {
  const writer = await GgufWriter.create(path, keys, tensors)
  try {
    let written = 0
    const bank: NoiseBank = new Map()
    for (const tensor of tensors) {
      for (const bytes of noisyBytes(tensor, seed, bank)) {
        await writer.write(tensor.name, bytes)
        written += bytes.length
        onProgress?.(written, writer.bytesPlanned)
      }
    }
    await writer.finish()
  } catch (error) {
    await writer.abandon()
    throw error
  }
}
