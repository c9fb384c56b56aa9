import { deepEqual, equal, rejects } from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { temporaryFolder } from '../../../../test/support/tiny-models.ts'
import type { GgufArray, GgufValue, SmallNumberType } from './format.ts'
import { GgufReader } from './reader.ts'
import { stringAt, stringCount, tableOf } from './string-table.ts'
import { GgufWriter } from './writer.ts'

const folder = temporaryFolder()

const INTEGERS: [SmallNumberType, number, number][] = [
  ['u8', 0, 2 ** 8 - 1],
  ['i8', -(2 ** 7), 2 ** 7 - 1],
  ['u16', 0, 2 ** 16 - 1],
  ['i16', -(2 ** 15), 2 ** 15 - 1],
  ['u32', 0, 2 ** 32 - 1],
  ['i32', -(2 ** 31), 2 ** 31 - 1],
]
const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const numbers: [SmallNumberType, fc.Arbitrary<number>][] = [
  ...INTEGERS.map(([type, min, max]): [SmallNumberType, fc.Arbitrary<number>] => [type, fc.integer({ min, max })]),
  ['f32', fc.float({ noNaN: true })],
  ['f64', fc.double({ noNaN: true })],
]
const scalar: fc.Arbitrary<GgufValue> = fc.oneof(
  ...numbers.map(([type, value]) => value.map((value): GgufValue => ({ type, value }))),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value): GgufValue => ({ type: 'u64', value })),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value): GgufValue => ({ type: 'i64', value })),
  fc.boolean().map((value): GgufValue => ({ type: 'bool', value })),
  text.map((value): GgufValue => ({ type: 'string', value })),
)
const flat: fc.Arbitrary<GgufArray> = fc.oneof(
  ...numbers.map(([of, value]) => fc.array(value).map((value): GgufArray => ({ type: 'array', of, value }))),
  fc
    .array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
    .map((value): GgufArray => ({ type: 'array', of: 'u64', value })),
  fc.array(fc.boolean()).map((value): GgufArray => ({ type: 'array', of: 'bool', value })),
  fc.array(text).map((value): GgufArray => ({ type: 'array', of: 'string', value: tableOf(value) })),
)
const nested = fc.array(flat, { maxLength: 3 }).map((value): GgufArray => ({ type: 'array', of: 'array', value }))
const keys = fc.dictionary(text, fc.oneof(scalar, flat, nested), { maxKeys: 8 })

/** Comparable whatever kind of array holds it. */
function plain(value: GgufValue): unknown {
  if (value.type !== 'array') return value
  if (value.of === 'string') return Array.from({ length: stringCount(value.value) }, (_, i) => stringAt(value.value, i))
  if (value.of === 'array') return value.value.map(plain)
  return [value.of, ...Array.from(value.value as ArrayLike<unknown>)]
}

test('what the writer wrote, the reader reads: every type of value', async () => {
  const path = join(folder, 'keys.gguf')
  await fc.assert(
    fc.asyncProperty(keys, async (keys) => {
      const writer = await GgufWriter.create(path, Object.entries(keys), [])
      await writer.finish()
      const reader = await GgufReader.open(path)
      await reader.close()
      const read = [...reader.header.keys].map(([name, value]) => [name, plain(value)])
      deepEqual(
        read,
        Object.entries(keys).map(([name, value]) => [name, plain(value)]),
      )
    }),
    { numRuns: 60 },
  )
})

test('tensor bytes come back, however they were cut into pieces and whatever the alignment', async () => {
  const path = join(folder, 'tensors.gguf')
  const tensor = fc.record({ rows: fc.integer({ min: 1, max: 5 }), pieces: fc.integer({ min: 1, max: 4 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(tensor, { maxLength: 5 }), fc.constantFrom(8, 32, 64), async (tensors, alignment) => {
      const declared = tensors.map(({ rows }, i) => ({ name: `t${i}`, type: 'Q8_0', shape: [32, rows] }) as const)
      const writer = await GgufWriter.create(path, [['general.alignment', { type: 'u32', value: alignment }]], declared)
      const bytes = tensors.map(({ rows }, i) => Uint8Array.from({ length: rows * 34 }, (_, b) => (b * 7 + i) % 256))
      for (const [i, { pieces }] of tensors.entries()) {
        const all = bytes[i] ?? new Uint8Array()
        const step = Math.ceil(all.length / pieces)
        for (let at = 0; at < all.length; at += step) await writer.write(`t${i}`, all.subarray(at, at + step))
      }
      await writer.finish()
      const reader = await GgufReader.open(path)
      for (const [i, tensor] of [...reader.header.tensors.values()].entries()) {
        equal(tensor.offset % alignment, 0)
        deepEqual(await reader.read(tensor), bytes[i])
      }
      await reader.close()
    }),
    { numRuns: 30 },
  )
})

test('a file that was not finished, or was abandoned, is not there', async () => {
  const path = join(folder, 'half.gguf')
  const writer = await GgufWriter.create(path, [], [{ name: 't', type: 'F32', shape: [2] }])
  await rejects(writer.write('other', new Uint8Array(8)), /out of turn/)
  await rejects(writer.write('t', new Uint8Array(9)), /only 8 bytes/)
  await rejects(writer.finish(), /t was not written/)
  equal(existsSync(path), false)
  await writer.abandon()
  equal(existsSync(`${path}.partial`), false)
})
