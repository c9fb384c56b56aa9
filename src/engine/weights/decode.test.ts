import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { decodeTensor } from './decode.ts'
import { encodeTensor } from './encode.ts'
import type { WritableType } from './encode.ts'
import { GGML_TYPE_NAMES, GGML_TYPES, tensorBytes } from './types.ts'

/** Recorded by test/python/quantise.py from the PyPI package gguf. */
const FIXTURE = new URL('../../../test/fixtures/weights/blocks.json', import.meta.url)
const recorded = JSON.parse(readFileSync(FIXTURE, 'utf8')) as Record<string, { blocks: string; values: string }>

describe('every type decodes as the package gguf does, bit for bit', () => {
  for (const type of GGML_TYPE_NAMES) {
    test(type, () => {
      const { blocks = '', values = '' } = recorded[type] ?? {}
      const decoded = decodeTensor(type, Uint8Array.from(Buffer.from(blocks, 'hex')))
      ok(decoded.length > 0)
      const expected = Buffer.from(values, 'hex')
      // Adding 0 makes −0 and 0 one: what they multiply is the same.
      deepEqual(
        Array.from(decoded, (value) => value + 0),
        Array.from({ length: expected.length / 4 }, (_, i) => expected.readFloatLE(4 * i) + 0),
      )
    })
  }
})

describe('what is encoded comes back within half a step', () => {
  /** Largest error, as a share of the largest value of the 32: half a step, and the rounding of the scales. */
  const bounds: [WritableType, number][] = [
    ['F32', 0],
    ['F16', 0.0005],
    ['BF16', 0.004],
    ['Q8_0', 0.0045],
    ['Q4_0', 0.126],
    ['Q4_1', 0.068],
    ['Q4_K', 0.11],
    ['Q6_K', 0.017],
  ]
  for (const [type, bound] of bounds) {
    test(type, () => {
      const block = Math.max(GGML_TYPES[type].block, 32)
      const value = fc.float({ min: -8, max: 8, noNaN: true })
      fc.assert(
        fc.property(fc.array(value, { minLength: block, maxLength: block }), (values) => {
          const original = Float32Array.from(values)
          const back = decodeTensor(type, encodeTensor(type, original))
          const largest = Math.max(...original.map(Math.abs), 0.001)
          for (const [i, value] of original.entries()) {
            ok(Math.abs(value - (back[i] ?? NaN)) <= bound * largest + 1e-7, `${value} became ${back[i]} of ${largest}`)
          }
        }),
        { numRuns: 100 },
      )
    })
  }
})

test('bytes that are no whole blocks are refused', () => {
  throws(() => decodeTensor('Q4_0', new Uint8Array(17)), /no whole Q4_0 blocks/)
  throws(() => encodeTensor('Q8_0', new Float32Array(31)), /no whole Q8_0 blocks/)
  throws(() => tensorBytes('Q4_K', [128, 2]), /packs 256 elements/)
  equal(tensorBytes('Q4_K', [256, 2]), 288)
})
