import { createHash } from 'node:crypto'
import { encodeTensor } from '../encode.ts'
import type { WritableType } from '../encode.ts'
import { GGML_TYPES } from '../types.ts'

const CHUNK = 2 ** 20
/** Tensors of more chunks take them out of so many, turned by some blocks: 8 G numbers would take minutes. */
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

/** What is drawn once for all large tensors of a file that are alike. */
export type NoiseBank = Map<string, Uint8Array[]>

/** The bytes of a random tensor, in pieces. */
export function* noisyBytes(tensor: NoisyTensor, seed: number, bank: NoiseBank): Generator<Uint8Array> {
  const length = tensor.shape.reduce((product, side) => product * side, 1)
  const noise = new Noise(seed, tensor.name)
  if (length <= CHUNKS_DRAWN_MAX * CHUNK) {
    for (let left = length; left > 0; left -= CHUNK) yield draw(tensor, noise, Math.min(left, CHUNK))
    return
  }
  const { block, bytes } = GGML_TYPES[tensor.type]
  const drawn = drawBank(tensor, seed, bank)
  for (let left = length; left > 0; left -= CHUNK) {
    const chunk = drawn[noise.bits() % CHUNKS_DRAWN_MAX] ?? new Uint8Array()
    const turn = (noise.bits() % (CHUNK / block)) * bytes
    const turned = [chunk.subarray(turn), chunk.subarray(0, turn)]
    if (left >= CHUNK) yield* turned
    else yield Buffer.concat(turned).subarray(0, (left / block) * bytes)
  }
}

function draw({ type, mean, deviation }: NoisyTensor, noise: Noise, count: number): Uint8Array {
  const values = new Float32Array(count)
  noise.drawInto(values, mean, deviation)
  return encodeTensor(type, values)
}

function drawBank(tensor: NoisyTensor, seed: number, bank: NoiseBank): Uint8Array[] {
  const key = `${tensor.type}/${tensor.mean}/${tensor.deviation}`
  const known = bank.get(key)
  if (known !== undefined) return known
  const noise = new Noise(seed, key)
  const drawn = Array.from({ length: CHUNKS_DRAWN_MAX }, () => draw(tensor, noise, CHUNK))
  bank.set(key, drawn)
  return drawn
}
