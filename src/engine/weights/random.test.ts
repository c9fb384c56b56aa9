import { deepEqual, equal, notDeepEqual, ok, rejects } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/tiny-models.ts'
import { decodeTensor } from './decode.ts'
import { inspectModel, renderInspection } from './inspect.ts'
import { ModelFile } from './model-file.ts'
import { byteVocabularyKeys } from './random/byte-vocabulary.ts'
import { stringAt, stringCount } from './gguf/string-table.ts'
import { RANDOM_SHAPES, writeRandomModel } from './random.ts'

const folder = temporaryFolder()

test('the same shape and seed are the same bytes, on every machine', async () => {
  const path = join(folder, 'a.gguf')
  await writeRandomModel(path, { like: 'tiny-dense', seed: 1 })
  const bytes = readFileSync(path)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  equal(sha256, 'f81da32ddbac97e53efc281c22e53cc4f13616be5525b31a1d490177b54c7a72')
  await writeRandomModel(path, { like: 'tiny-dense', seed: 2 })
  notDeepEqual(readFileSync(path), bytes)
})

test('every tiny shape opens, in every type that can be written', async () => {
  const path = join(folder, 'b.gguf')
  for (const { name } of RANDOM_SHAPES.filter(({ name }) => name.startsWith('tiny'))) {
    for (const type of ['F32', 'F16', 'BF16', 'Q8_0', 'Q4_0', 'Q4_1', 'Q4_K'] as const) {
      await writeRandomModel(path, { like: name, seed: 3, type })
      const file = await ModelFile.open(path)
      // Rows of 64 are no whole Q4_K blocks: F16 takes their place.
      equal(file.get('blk.0.attn_q.weight').type, type === 'Q4_K' ? 'F16' : type)
      await file.close()
    }
  }
})

test('a vocabulary is as long as asked, and no token is there twice', () => {
  const keys = new Map(byteVocabularyKeys(300))
  const tokens = keys.get('tokenizer.ggml.tokens')
  ok(tokens?.type === 'array' && tokens.of === 'string')
  const names = Array.from({ length: 300 }, (_, id) => stringAt(tokens.value, id))
  equal(stringCount(tokens.value), 300)
  equal(new Set(names).size, 300)
})

test('noise has the size that keeps activations near 1', async () => {
  const path = join(folder, 'c.gguf')
  await writeRandomModel(path, { like: 'tiny-dense', seed: 4 })
  const file = await ModelFile.open(path)
  const place = file.get('blk.0.ffn_up.weight')
  const values = decodeTensor(place.type, await file.read(place))
  await file.close()
  const rms = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length)
  ok(Math.abs(rms * Math.sqrt(64) - 1) < 0.03, `${rms}`)
})

test('progress ends at the whole', async () => {
  const seen: [number, number][] = []
  const onProgress = (written: number, all: number) => seen.push([written, all])
  await writeRandomModel(join(folder, 'd.gguf'), { like: 'tiny-moe', seed: 1, onProgress })
  const [written, all] = seen.at(-1) ?? []
  equal(written, all)
})

test('an unknown shape is refused with the known ones; additions only where there are some', async () => {
  await rejects(
    writeRandomModel(join(folder, 'e.gguf'), { like: 'gpt-5', seed: 1 }),
    /no shape gpt-5; known are tiny-dense/,
  )
  const wish = { like: 'tiny-dense', seed: 1, separateBase: true }
  await rejects(writeRandomModel(join(folder, 'e.gguf'), wish), /has no additions/)
})

test('a model tells its shape, its types and the memory it needs', async () => {
  const path = join(folder, 'f.gguf')
  await writeRandomModel(path, { like: 'tiny-causal', seed: 1, type: 'Q8_0' })
  const inspection = await inspectModel(path)
  deepEqual(inspection.tokenizer, {
    pre: 'gpt-2',
    tokens: 260,
    mask: { id: 3, name: '<|mask|>' },
    ends: [{ id: 2, name: '<|im_end|>' }],
  })
  // 2 layers × (keys and values) × 2 heads × 16 numbers × 2 bytes × 1,000 tokens
  equal(inspection.memory.cacheBytesPerThousandTokens, 2 * 2 * 2 * 16 * 2 * 1000)
  equal(
    inspection.memory.weightBytes,
    inspection.types.reduce((sum, { bytes }) => sum + bytes, 0),
  )
  ok(renderInspection(inspection).includes('architecture  llama, causal-context, shifted\n'))
})
