import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { appendFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { rewriteModel } from '../../../test/support/rewrite-model.ts'
import { temporaryFolder } from '../../../test/support/tiny-models.ts'
import { WeightsError } from './errors.ts'
import type { GgufValue } from './gguf/format.ts'
import { ModelFile } from './model-file.ts'
import { writeRandomModel } from './random.ts'

const folder = temporaryFolder()
const at = (name: string) => join(folder, `${name}.gguf`)
const BUNDLED = join(import.meta.dirname, '../../../models')

before(async () => {
  for (const like of ['tiny-dense', 'tiny-moe', 'tiny-block', 'tiny-causal-moe']) {
    await writeRandomModel(at(like), { like, seed: 1 })
  }
  await writeRandomModel(at('additions'), { like: 'tiny-causal-moe', seed: 1, separateBase: true })
})

async function describeFile(path: string) {
  const file = await ModelFile.open(path)
  await file.close()
  return file
}

const u32 = (value: number): GgufValue => ({ type: 'u32', value })
const string = (value: string): GgufValue => ({ type: 'string', value })

describe('what a file says becomes the model’s description', () => {
  test('LLaDA: bidirectional, not shifted, neighbours rotated, every control token banned but the end', async () => {
    const { spec, decoding, card } = await describeFile(at('tiny-dense'))
    equal(spec.attention, 'bidirectional')
    equal(spec.shift, false)
    deepEqual(spec.rope, { theta: 10_000, dimensions: 16, style: 'neighbours' })
    deepEqual([spec.maskToken, spec.endTokens], [3, [2]])
    // 0 and 1 are control tokens, 3 is the mask, rows from 260 on have no token.
    deepEqual(spec.bannedTokens, [0, 1, 3, ...Array.from({ length: 28 }, (_, i) => 260 + i)])
    deepEqual(decoding, { rule: 'threshold', threshold: 0.9, window: 8, perStep: 1 })
    equal(card.parameters, 119_104)
  })

  test('LLaDA-MoE: halves rotated, norms on queries and keys, weights not renormalised', async () => {
    const { spec } = await describeFile(at('tiny-moe'))
    equal(spec.rope.style, 'halves')
    ok(spec.qkNorm)
    equal(spec.feedForward, 0)
    deepEqual(spec.router, { experts: 8, used: 2, width: 32, renormalise: false, scale: 1 })
  })

  test('unmask.attention makes it block-causal, with a threshold of its own', async () => {
    const { spec, decoding } = await describeFile(at('tiny-block'))
    equal(spec.attention, 'block-causal')
    equal(decoding.threshold, 0.95)
  })

  test('llama with window adapters: shifted, tied, grouped heads, the feed-forward is the shared expert', async () => {
    const { spec, decoding } = await describeFile(at('tiny-causal-moe'))
    equal(spec.attention, 'causal-context')
    ok(spec.shift && spec.tied)
    deepEqual([spec.heads, spec.kvHeads, spec.adapterRank], [4, 2, 8])
    deepEqual(spec.router, { experts: 4, used: 2, width: 32, renormalise: false, scale: 0.5 })
    deepEqual(decoding, { rule: 'verified', threshold: 0.3, window: 4, perStep: 1, paced: true })
  })

  test('shift_logits is read as a string and as a boolean', async () => {
    for (const value of [string('true'), { type: 'bool', value: true } satisfies GgufValue]) {
      await rewriteModel(at('tiny-dense'), at('shift'), {
        keys: { 'diffusion.shift_logits': value, 'unmask.shift': undefined },
      })
      equal((await describeFile(at('shift'))).spec.shift, true)
    }
  })

  test('one file, and a base with additions, are the same model with the same tensors', async () => {
    const whole = await ModelFile.open(at('tiny-causal-moe'))
    const apart = await ModelFile.open(at('additions'))
    deepEqual(apart.spec, whole.spec)
    equal(apart.template, whole.template)
    for (const [name, place] of whole.tensors) deepEqual(await apart.read(apart.get(name)), await whole.read(place))
    equal(apart.get('token_embd.weight').path, at('additions-base'))
    equal(apart.get('mask_embd.weight').path, at('additions'))
    await Promise.all([whole.close(), apart.close()])
  })
})

describe('what cannot be used is refused with a sentence', () => {
  const cases: [what: string, from: string, change: Parameters<typeof rewriteModel>[2], sentence: RegExp][] = [
    [
      'no mask token',
      'tiny-dense',
      { keys: { 'unmask.mask_token_id': undefined, 'tokenizer.ggml.mask_token_id': undefined } },
      /names no mask token/,
    ],
    ['a mask outside', 'tiny-dense', { keys: { 'unmask.mask_token_id': u32(288) } }, /must be below 288; it is 288/],
    [
      'a llama file that names no attention',
      'tiny-causal-moe',
      { keys: { 'unmask.attention': undefined } },
      /unmask\.attention is missing/,
    ],
    [
      'an unknown architecture',
      'tiny-dense',
      { keys: { 'general.architecture': string('gemma') } },
      /one of llama, llada, llada-moe; it is gemma/,
    ],
    [
      'no template',
      'tiny-dense',
      { keys: { 'tokenizer.chat_template': undefined } },
      /tokenizer\.chat_template is missing/,
    ],
    [
      'another tokenizer',
      'tiny-dense',
      { keys: { 'tokenizer.ggml.model': string('llama') } },
      /must be "gpt2" \(byte-level BPE\); it is llama/,
    ],
    [
      'scaled rotations',
      'tiny-dense',
      { keys: { 'llada.rope.scaling.type': string('yarn') } },
      /scaled rotations \(yarn\) are not supported/,
    ],
    [
      'heads that do not divide',
      'tiny-dense',
      { keys: { 'llada.attention.head_count': u32(3) } },
      /attention\.head_count/,
    ],
    [
      'a key of the wrong type',
      'tiny-dense',
      { keys: { 'llada.block_count': string('2') } },
      /llada\.block_count must be a number/,
    ],
    [
      'more layers than tensors',
      'tiny-dense',
      { keys: { 'llada.block_count': u32(4_000_000_000) } },
      /4000000000 layers are announced/,
    ],
    [
      'a layer too many',
      'tiny-dense',
      { keys: { 'llada.block_count': u32(3) } },
      /the tensor blk\.2\.attn_norm\.weight is missing/,
    ],
    [
      'a layer too few',
      'tiny-dense',
      { keys: { 'llada.block_count': u32(1) } },
      /nothing here knows what to do with the tensor blk\.1/,
    ],
    [
      'more experts used than there are',
      'tiny-moe',
      { keys: { 'llada-moe.expert_used_count': u32(9) } },
      /must be 1 to 8/,
    ],
    ['a threshold above 1', 'tiny-dense', { keys: { 'unmask.threshold': { type: 'f32', value: 2 } } }, /from 0 to 1/],
    ['a context longer than the weights’', 'tiny-dense', { keys: { 'unmask.context_length': u32(513) } }, /1 to 512/],
    [
      'a missing tensor',
      'tiny-dense',
      { tensor: (tensor) => (tensor.name === 'blk.1.ffn_up.weight' ? undefined : tensor) },
      /the tensor blk\.1\.ffn_up\.weight is missing/,
    ],
    [
      'a tensor of another shape',
      'tiny-dense',
      { tensor: (tensor) => (tensor.name === 'blk.1.ffn_up.weight' ? { ...tensor, shape: [128, 64] } : tensor) },
      /blk\.1\.ffn_up\.weight is \[128, 64\]; its model needs \[64, 128\]/,
    ],
    [
      'a tensor that would be left out in silence',
      'tiny-dense',
      { extra: [{ name: 'blk.0.attn_q.bias', type: 'F32', shape: [64] }] },
      /nothing here knows what to do with the tensor blk\.0\.attn_q\.bias/,
    ],
    [
      'additions for another base',
      'additions',
      { keys: { 'unmask.base.sha256': string('00') } },
      /made for another additions-base\.gguf/,
    ],
    [
      'additions that reach outside',
      'additions',
      { keys: { 'unmask.base.file': string('../x.gguf') } },
      /must be a file name/,
    ],
    [
      'additions without a base',
      'additions',
      { keys: { 'unmask.base.file': string('no.gguf') } },
      /no\.gguf: cannot be opened/,
    ],
    ['additions of a later version', 'additions', { keys: { 'unmask.version': u32(2) } }, /too old for 2/],
  ]
  for (const [what, from, change, sentence] of cases) {
    test(what, async () => {
      await rewriteModel(at(from), at('changed'), change)
      await rejects(describeFile(at('changed')), (error) => {
        ok(error instanceof WeightsError, String(error))
        match(error.message, sentence)
        match(error.message, /\.gguf: /, 'names the file')
        return true
      })
    })
  }

  test('a base that was changed afterwards', async () => {
    await writeRandomModel(at('other'), { like: 'tiny-causal', seed: 1, separateBase: true })
    appendFileSync(at('other-base'), 'x')
    await rejects(describeFile(at('other')), /made for another other-base\.gguf \(sha256 [0-9a-f]{64}\); this one is/)
    renameSync(at('other-base'), at('gone'))
    await rejects(describeFile(at('other')), /other-base\.gguf: cannot be opened/)
  })
})

test('the bundled pair: base, ids and rule as they were published', async () => {
  for (const name of ['model.gguf', 'model-moe.gguf']) {
    const { spec, vocabulary } = await describeFile(join(BUNDLED, name))
    deepEqual([spec.layers, spec.width, spec.heads, spec.kvHeads, spec.vocabulary], [30, 576, 9, 3, 49_152])
    deepEqual([spec.maskToken, spec.endTokens, vocabulary.pre], [16, [2], 'smollm'])
    deepEqual(spec.bannedTokens, [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
  }
  await rejects(describeFile(join(BUNDLED, 'base.gguf')), /base\.gguf: the file names no mask token/)
})
