import { WeightsError } from './errors.ts'

/** Element types of tensors that we read: ggml's number, elements a block, bytes a block (ggml.h, `enum ggml_type`). */
export const GGML_TYPES = {
  F32: { id: 0, block: 1, bytes: 4 },
  F16: { id: 1, block: 1, bytes: 2 },
  Q4_0: { id: 2, block: 32, bytes: 18 },
  Q4_1: { id: 3, block: 32, bytes: 20 },
  Q5_0: { id: 6, block: 32, bytes: 22 },
  Q5_1: { id: 7, block: 32, bytes: 24 },
  Q8_0: { id: 8, block: 32, bytes: 34 },
  Q4_K: { id: 12, block: 256, bytes: 144 },
  Q5_K: { id: 13, block: 256, bytes: 176 },
  Q6_K: { id: 14, block: 256, bytes: 210 },
  BF16: { id: 30, block: 1, bytes: 2 },
} as const

export type GgmlTypeName = keyof typeof GGML_TYPES

const NAMES = Object.keys(GGML_TYPES).filter((name): name is GgmlTypeName => name in GGML_TYPES)
const NAME_OF = new Map(NAMES.map((name): [number, GgmlTypeName] => [GGML_TYPES[name].id, name]))

export const GGML_TYPE_NAMES: readonly GgmlTypeName[] = NAMES

/** The name of a type number, or undefined where it is none of ours. */
export function findTypeName(id: number): GgmlTypeName | undefined {
  return NAME_OF.get(id)
}

/** Bytes of a tensor of this type; `shape` in ggml order (row length first). Throws where rows are no whole blocks. */
export function tensorBytes(type: GgmlTypeName, shape: readonly number[]): number {
  const { block, bytes } = GGML_TYPES[type]
  const row = shape[0] ?? 0
  if (row % block !== 0) {
    throw new WeightsError(`rows of ${row} elements cannot be ${type}: it packs ${block} elements at a time`)
  }
  return shape.reduce((product, length) => product * length, 1) * (bytes / block)
}
