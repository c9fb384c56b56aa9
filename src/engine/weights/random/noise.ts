import { createHash } from 'node:crypto'
import { encodeTensor } from '../encode.ts'
import type { WritableType } from '../encode.ts'
import { GGML_TYPES } from '../types.ts'

const CHUNK = 2 ** 20
/** Behind so many chunks of a tensor earlier ones come again, turned by some blocks: 8 G numbers would take minutes. */
const CHUNKS_DRAWN_MAX = 4

/** Bell-shaped numbers of mean 0 and deviation 1, the same on every machine: no logarithm, no cosine, only sums. */
class Noise {
  private readonly state: Uint32Array

  /** Every `name` has numbers of its own under one seed. */
  constructor(seed: number, name: string) {
    const digest = createHash('sha256').update(`${seed}/${name}`).digest()
    this.state = Uint32Array.from({ length: 4 }, (_, i) => digest.readUInt32LE(4 * i))
  }

  /** sfc32 (Chris Doty-Humphrey, PractRand). */
  bits(): number {
    const s = this.state
    const t = (word(s, 0) + word(s, 1) + word(s, 3)) | 0
    const b = word(s, 1)
    const c = word(s, 2)
    s[3] = word(s, 3) + 1
    s[0] = b ^ (b >>> 9)
    s[1] = (c + (c << 3)) | 0
    s[2] = ((c << 21) | (c >>> 11)) + t
    return t >>> 0
  }

  /** Sums of four 16-bit uniforms (Irwin–Hall), scaled to deviation 1; never beyond ±3.5. */
  drawInto(values: Float32Array, mean: number, deviation: number): void {
    const scale = (deviation * Math.sqrt(3)) / 2 ** 16
    for (let i = 0; i < values.length; i++) {
      const x = this.bits()
      const y = this.bits()
      const sum = (x & 0xffff) + (x >>> 16) + (y & 0xffff) + (y >>> 16)
      values[i] = mean + scale * (sum - 2 * 0xffff)
    }
  }
}

function word(state: Uint32Array, i: number): number {
  return state[i] ?? 0
}

export type NoisyTensor = {
  name: string
  type: WritableType
  shape: readonly number[]
  mean: number
  deviation: number
}

/** The bytes of a random tensor, in pieces. */
export function* noisyBytes(tensor: NoisyTensor, seed: number): Generator<Uint8Array> {
  const { block, bytes } = GGML_TYPES[tensor.type]
  const noise = new Noise(seed, tensor.name)
  const drawn: Uint8Array[] = []
  let left = tensor.shape.reduce((product, length) => product * length, 1)
  while (left > 0) {
    const count = Math.min(left, CHUNK)
    const again =
      drawn.length === CHUNKS_DRAWN_MAX && count === CHUNK ? drawn[noise.bits() % CHUNKS_DRAWN_MAX] : undefined
    if (again === undefined) {
      const values = new Float32Array(count)
      noise.drawInto(values, tensor.mean, tensor.deviation)
      const encoded = encodeTensor(tensor.type, values)
      if (drawn.length < CHUNKS_DRAWN_MAX) drawn.push(encoded)
      yield encoded
    } else {
      const turn = (noise.bits() % (CHUNK / block)) * bytes
      yield again.subarray(turn)
      yield again.subarray(0, turn)
    }
    left -= count
  }
}
