import { deepEqual, equal } from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { decodeTensor } from '../../src/engine/weights/decode.ts'
import { ModelFile } from '../../src/engine/weights/model-file.ts'

const COMPAT = join(import.meta.dirname, '../compat')

test('additions of version 1, as the first release wrote them, open with their base', async () => {
  const file = await ModelFile.open(join(COMPAT, 'additions-v1.gguf'))
  const { spec, decoding } = file
  deepEqual([spec.attention, spec.shift, spec.maskToken, spec.endTokens], ['causal-context', true, 3, [2]])
  deepEqual([spec.layers, spec.width, spec.adapterRank, spec.feedForward], [2, 64, 8, 128])
  deepEqual(spec.router, { experts: 4, used: 2, width: 32, renormalise: false, scale: 0.5 })
  deepEqual(decoding, { rule: 'verified', threshold: 0.3, window: 4, perStep: 1, paced: true })
  const place = file.get('blk.1.ffn_down.adapter_b.weight')
  equal(place.type, 'F16')
  equal(decodeTensor(place.type, await file.read(place)).length, 8 * 64)
  await file.close()
})
