import { equal, match, ok, throws } from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import fc from 'fast-check'
import { temporaryFolder } from '../../../../test/support/tiny-models.ts'
import { WeightsError } from '../errors.ts'
import { parseHeader } from './parse-header.ts'
import { GgufReader } from './reader.ts'
import { tableOf } from './string-table.ts'
import { GgufWriter } from './writer.ts'

const folder = temporaryFolder()
const path = join(folder, 'honest.gguf')
let honest = new Uint8Array()

before(async () => {
  const writer = await GgufWriter.create(
    path,
    [
      ['general.architecture', { type: 'string', value: 'llama' }],
      ['some.words', { type: 'array', of: 'string', value: tableOf(['one', 'zwei', '三']) }],
      ['some.numbers', { type: 'array', of: 'i32', value: [1, -2, 3] }],
      ['some.wordz', { type: 'u8', value: 1 }],
      ['some.switch', { type: 'bool', value: true }],
    ],
    [
      { name: 'a.weight', type: 'F32', shape: [8, 2] },
      { name: 'b.weight', type: 'Q4_0', shape: [64] },
    ],
  )
  await writer.write('a.weight', new Uint8Array(64))
  await writer.write('b.weight', new Uint8Array(36))
  await writer.finish()
  honest = new Uint8Array(readFileSync(path))
})

/** Where a text stands in the honest file. */
function placeOf(text: string): number {
  return Buffer.from(honest).indexOf(text)
}

/** The honest file with something written over it. */
function withBytes(at: number, ...bytes: number[]): Uint8Array {
  const copy = honest.slice()
  copy.set(bytes, at)
  return copy
}

function refuses(bytes: Uint8Array, sentence: RegExp): void {
  throws(
    () => parseHeader(bytes, bytes.length),
    (error) => error instanceof WeightsError && sentence.test(error.message),
  )
}

/** Behind the 36 bytes of the last tensor. */
const PADDING = 28
const HUGE = [255, 255, 255, 255, 255, 255, 31, 0]

describe('a file that lies is refused with a sentence that says where', () => {
  test('no GGUF at all', () =>
    refuses(new TextEncoder().encode('PK\u0003\u0004 something else'), /does not begin with "GGUF"/))
  test('an empty file', () => refuses(new Uint8Array(), /does not begin with "GGUF"/))
  test('version 1', () => refuses(withBytes(4, 1), /version 1 is not known/))
  test('big-endian', () => refuses(withBytes(4, 0, 0, 0, 3), /big-endian/))
  test('more tensors than bytes', () => refuses(withBytes(8, ...HUGE), /tensors are claimed at byte 8/))
  test('more keys than bytes', () => refuses(withBytes(16, ...HUGE), /keys are claimed at byte 16/))
  test('a name longer than the file', () => refuses(withBytes(24, ...HUGE), /the name of key 0 needs/))
  test('an impossible length', () => refuses(withBytes(24, 0, 0, 0, 0, 0, 0, 0, 255), /impossibly large/))
  test('a name that is not UTF-8', () => refuses(withBytes(32, 0xff), /name of key 0 at byte 32 is not UTF-8/))
  test('an unknown type of value', () => refuses(withBytes(placeOf('some.switch') + 11, 99), /unknown value type 99/))
  test('a switch that is 2', () => refuses(withBytes(placeOf('some.switch') + 15, 2), /neither true nor false/))
  test('an array longer than the file', () =>
    refuses(withBytes(placeOf('some.numbers') + 20, ...HUGE), /elements of the key some.numbers are claimed/))
  test('a key that stands twice', () =>
    refuses(withBytes(placeOf('some.wordz') + 9, 0x73), /the key some.words stands twice/))
  test('five dimensions', () => refuses(withBytes(placeOf('a.weight') + 8, 5), /has 5 dimensions/))
  test('a dimension of 0', () => refuses(withBytes(placeOf('a.weight') + 12, 0), /dimension of 0/))
  test('a type of tensor we cannot read', () =>
    refuses(withBytes(placeOf('a.weight') + 28, 19), /ggml type 19; readable are F32/))
  test('rows that are no whole blocks', () => refuses(withBytes(placeOf('b.weight') + 12, 63), /b.weight: rows of 63/))
  test('an offset between the lines', () => refuses(withBytes(placeOf('b.weight') + 24, 65), /no multiple of 32/))
  test('an offset behind the end', () => refuses(withBytes(placeOf('b.weight') + 26, 1), /the file ends at byte/))
  test('a tensor that does not fit', () => refuses(withBytes(placeOf('a.weight') + 20, 200), /should end at byte/))
})

test('cut anywhere, it is refused or asks for more, and says so', () => {
  for (let length = 0; length < honest.length - PADDING; length++) {
    throws(() => parseHeader(honest.slice(0, length), length), WeightsError, `cut at ${length}`)
    // The same bytes of a file that is whole on disk: the reader only has to come back with more of it.
    const parsed = parseHeader(honest.slice(0, Math.max(length, 8)), honest.length)
    ok(parsed.kind === 'header' || (parsed.bytes > length && parsed.bytes <= honest.length))
  }
})

test('a cut file on disk is named', async () => {
  const cut = join(folder, 'cut.gguf')
  writeFileSync(cut, honest.slice(0, honest.length - 40))
  const error = await GgufReader.open(cut).then(
    () => undefined,
    (error: unknown) => error,
  )
  ok(error instanceof WeightsError)
  match(error.message, /cut\.gguf: tensor b\.weight should end at byte \d+, but the file ends at byte \d+/)
})

test('whatever is written over it: a header or a WeightsError, never more memory than the file has bytes', () => {
  const overwrite = fc.tuple(fc.nat(honest.length - 1), fc.uint8Array({ minLength: 1, maxLength: 9 }))
  fc.assert(
    fc.property(fc.array(overwrite, { minLength: 1, maxLength: 4 }), (writes) => {
      const bytes = honest.slice()
      for (const [at, patch] of writes) bytes.set(patch.subarray(0, bytes.length - at), at)
      try {
        const parsed = parseHeader(bytes, bytes.length)
        equal(parsed.kind, 'header')
      } catch (error) {
        ok(error instanceof WeightsError, String(error))
      }
    }),
    { numRuns: 3000 },
  )
})
