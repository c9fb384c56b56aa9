import { deepEqual, equal, ok, throws } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { openRandomModel } from '../../../test/support/tiny-models.ts'
import { tableOf } from '../weights/gguf/string-table.ts'
import { ModelFile } from '../weights/model-file.ts'
import type { Vocabulary } from '../weights/vocabulary.ts'
import { MergeTable } from './merge-table.ts'
import { mergeWord } from './merge-word.ts'
import { Tokenizer } from './tokenizer.ts'

const ROOT = join(import.meta.dirname, '../../..')
const CONTROL_NAMES = ['<|im_start|>', '<|im_end|>', '<|endoftext|>', '<empty_output>', '<repo_name>']
/** Texts that look like special tokens, and pieces of them. */
const mean = fc
  .array(fc.oneof(fc.constantFrom(...CONTROL_NAMES, '<', '|', '>', '<|', '|>', 'im_end', '\udfff'), fc.string()))
  .map((pieces) => pieces.join(''))

describe('the bundled vocabulary', () => {
  let file: ModelFile | undefined
  let tokenizer: Tokenizer

  before(async () => {
    file = await ModelFile.open(join(ROOT, 'models/model.gguf'))
    tokenizer = new Tokenizer(file.vocabulary)
  })
  after(() => file?.close())

  test('ids are those of the package tokenizers', () => {
    const path = join(ROOT, 'test/fixtures/tokenizer/smollm-ids.json')
    for (const { text, ids } of JSON.parse(readFileSync(path, 'utf8')) as { text: string; ids: number[] }[]) {
      deepEqual(tokenizer.encode(text), ids, text)
    }
  })

  test('plain text never becomes a special token, whatever it looks like', () => {
    fc.assert(
      fc.property(mean, (text) => {
        const ids = tokenizer.encode(text)
        ok(ids.every((id) => !tokenizer.isControl(id)))
        equal(tokenizer.text(ids), text.toWellFormed())
      }),
    )
  })

  test('a template’s own special tokens are found, the longest first', () => {
    deepEqual(tokenizer.encodePrompt('<|im_start|>a<|im_end|>'), [1, ...tokenizer.encode('a'), 2])
  })

  test('one letter 400,000 times is encoded in near-linear time', () => {
    const timed = (count: number) => {
      const startedAt = performance.now()
      ok(tokenizer.encode('a'.repeat(count)).length > count / 20)
      return performance.now() - startedAt
    }
    timed(10_000)
    const [short, long] = [timed(25_000), timed(400_000)]
    // 16 times the text: quadratic merging would take 256 times as long.
    ok(long < 100 * Math.max(short, 2), `${short} ms, then ${long} ms`)
  })

  test('encoding stops soon behind the limit', () => {
    const ids = tokenizer.encode('word '.repeat(100_000), 50)
    ok(ids.length > 50 && ids.length < 60)
  })
})

test('bytes that the vocabulary can say come back, whatever they are', async () => {
  const { vocabulary } = await openRandomModel('tiny-dense')
  const tokenizer = new Tokenizer(vocabulary)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const ids = tokenizer.encode(text)
      equal(Buffer.concat(ids.map((id) => tokenizer.bytes(id))).toString('utf8'), text.toWellFormed())
    }),
  )
  deepEqual([tokenizer.bytes(-1).length, tokenizer.bytes(10_000).length], [0, 0])
  ok(tokenizer.isControl(10_000))
})

/** A small vocabulary over a and b, with random merges. */
function vocabularyOf(merges: readonly (readonly [string, string])[]): Vocabulary {
  const tokens = [...new Set(['a', 'b', ...merges.map(([left, right]) => left + right)])]
  const types = new Int32Array(tokens.length).fill(1)
  const lines = merges.map(([left, right]) => `${left} ${right}`)
  return { pre: 'gpt-2', tokens: tableOf(tokens), merges: tableOf(lines), types, beginToken: 0, endToken: 0 }
}

/** Byte-pair encoding as its definition says it: merge the best pair everywhere from the left, until there is none. */
function mergeSlowly(text: string, merges: readonly (readonly [string, string])[]): string[] {
  const symbols = text.split('')
  for (;;) {
    const places = symbols.slice(1).map((right, i) => merges.findIndex(([l, r]) => l === symbols[i] && r === right))
    const best = Math.min(...places.filter((rank) => rank >= 0))
    const [left = '', right = ''] = merges[best] ?? []
    if (left === '') return symbols
    symbols.splice(places.indexOf(best), 2, left + right)
  }
}

test('merging with a heap equals merging as it is defined', () => {
  // Every merge joins two tokens that exist by then.
  const merges = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 12 }).map((picks) => {
    const tokens = ['a', 'b']
    return picks.map(([x, y]): [string, string] => {
      const pair: [string, string] = [tokens[x % tokens.length] ?? 'a', tokens[y % tokens.length] ?? 'b']
      tokens.push(pair.join(''))
      return pair
    })
  })
  const word = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 80 }).map((letters) => letters.join(''))
  fc.assert(
    fc.property(merges, word, (merges, word) => {
      const vocabulary = vocabularyOf(merges)
      const tokens = [...new Set(['a', 'b', ...merges.map(([left, right]) => left + right)])]
      const ids = mergeWord(Buffer.from(word), new MergeTable(vocabulary))
      deepEqual(
        ids.map((id) => tokens[id]),
        mergeSlowly(word, merges),
      )
    }),
    { numRuns: 500 },
  )
})

test('a merge of tokens that do not exist is refused', () => {
  throws(() => new MergeTable({ ...vocabularyOf([]), merges: tableOf(['a c']) }), /merge 0 .* names a token/)
  throws(() => new MergeTable({ ...vocabularyOf([]), merges: tableOf(['ab']) }), /merge 0 .* names a token/)
})
