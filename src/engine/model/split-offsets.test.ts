import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { decodeTensor } from '../weights/decode.ts'
import { encodeTensor } from '../weights/encode.ts'
import { offsetsWidth, splitBytes, splitOffsets } from './split-offsets.ts'

test('Q4_0 and offsets are the very weights of Q4_1', () => {
  const [from, to] = [96, 5]
  const source = encodeTensor(
    'Q4_1',
    Float32Array.from({ length: from * to }, (_, i) => Math.sin(i * 1.7) + (i % 7)),
  )
  const target = {
    weights: new Uint8Array(splitBytes(source.length)),
    offsets: new Float32Array(offsetsWidth(from) * to),
  }
  splitOffsets(source, from, target)
  const whole = decodeTensor('Q4_1', source)
  const scaled = decodeTensor('Q4_0', target.weights)
  for (const [i, weight] of whole.entries()) {
    const [row, block] = [Math.floor(i / from), Math.floor((i % from) / 32)]
    const offset = target.offsets[row * offsetsWidth(from) + block] ?? Number.NaN
    equal(Math.fround((scaled[i] ?? 0) + offset), weight)
  }
  equal(target.offsets[from / 32], 0, 'behind the last block stand zeros')
})
