import type { ModelSpec } from '../../model/spec.ts'
import { expectedTensors } from '../expected-tensors.ts'
import type { ExpectedTensor } from '../expected-tensors.ts'
import type { GgufValue } from '../gguf/format.ts'
import { GGML_TYPES } from '../types.ts'
import { byteVocabularyKeys, END_TOKEN, MASK_TOKEN } from './byte-vocabulary.ts'
import type { NoisyTensor } from './noise.ts'
import type { Shape } from './shapes.ts'

type Keys = [string, GgufValue][]

/** Deviation of the logits: some tokens stand out, none wins always. */
const LOGIT_DEVIATION = 2.5

/** Keys of the file with the layers, in llama.cpp's names. */
export function baseKeys(name: string, shape: Shape): Keys {
  const at = (rest: string) => `${shape.architecture}.${rest}`
  const keys: Keys = [
    ['general.architecture', string(shape.architecture)],
    ['general.name', string(`random ${name}`)],
    ['general.description', string(`Random weights in the shape of ${name}: ${shape.about}. It talks nonsense.`)],
    ['general.license', string('apache-2.0')],
    [at('vocab_size'), u32(shape.vocabulary)],
    [at('context_length'), u32(shape.context)],
    [at('embedding_length'), u32(shape.width)],
    [at('block_count'), u32(shape.layers)],
    [at('feed_forward_length'), u32(shape.feedForward)],
    [at('attention.head_count'), u32(shape.heads)],
    [at('attention.head_count_kv'), u32(shape.kvHeads)],
    [at('attention.layer_norm_rms_epsilon'), f32(shape.epsilon)],
    [at('rope.freq_base'), f32(shape.theta)],
    [at('rope.dimension_count'), u32(shape.width / shape.heads)],
  ]
  if (shape.attention !== 'causal-context') keys.push(['diffusion.shift_logits', string('false')])
  if (shape.architecture === 'llada-moe' && shape.experts !== undefined) {
    keys.push([at('expert_count'), u32(shape.experts.count)], [at('expert_used_count'), u32(shape.experts.used)])
    keys.push([at('expert_feed_forward_length'), u32(shape.experts.width)])
  }
  return [...keys, ...byteVocabularyKeys(shape.named === true ? shape.vocabulary : 0)]
}

/** `unmask.*` keys: in the same file, or in one of additions. */
export function ownKeys(shape: Shape): Keys {
  const keys: Keys = [
    ['unmask.attention', string(shape.attention)],
    ['unmask.shift', { type: 'bool', value: shape.attention === 'causal-context' }],
    ['unmask.mask_token_id', u32(MASK_TOKEN)],
    ['unmask.end_token_ids', { type: 'array', of: 'u32', value: [END_TOKEN] }],
    ['unmask.context_length', u32(shape.context)],
    ['unmask.window', u32(shape.window)],
  ]
  if (shape.adapterRank !== undefined) keys.push(['unmask.adapter.rank', u32(shape.adapterRank)])
  if (shape.architecture === 'llama' && shape.experts !== undefined) {
    keys.push(['unmask.expert.count', u32(shape.experts.count)], ['unmask.expert.used_count', u32(shape.experts.used)])
    keys.push(['unmask.expert.feed_forward_length', u32(shape.experts.width)])
    keys.push(['unmask.expert.weights_scale', f32(shape.experts.scale ?? 1)])
  }
  return keys
}

/** Every tensor of the shape, with noise of a size that keeps activations near 1 in every layer. */
export function planTensors(shape: Shape): NoisyTensor[] {
  return [...expectedTensors(specOf(shape))].map((tensor) => planTensor(tensor, shape))
}

function planTensor({ name, shape: ne, types }: ExpectedTensor, shape: Shape): NoisyTensor {
  const row = ne[0] ?? 1
  const fits = row % GGML_TYPES[shape.type].block === 0
  const type = types !== 'any' ? 'F32' : fits ? shape.type : 'F16'
  // Near 1, but not 1: a norm left out must show.
  if (name.endsWith('norm.weight')) return { name, type, shape: ne, mean: 1, deviation: 0.1 }
  const embedding = LOGIT_DEVIATION / Math.sqrt(shape.width)
  let deviation = 1 / Math.sqrt(row)
  if (name === 'token_embd.weight' || name === 'mask_embd.weight') deviation = embedding
  else if (name === 'output.weight') deviation = embedding
  else if (name.includes('ffn_gate_inp')) deviation = 2 / Math.sqrt(row)
  else if (name.includes('.adapter_b')) deviation = (0.3 * branchGain(name, shape)) / Math.sqrt(row)
  else deviation *= branchGain(name, shape)
  return { name, type, shape: ne, mean: 0, deviation }
}

/** What is added to the stream must not drown the embedding: 2 × layers additions together weigh about as much. */
function branchGain(name: string, shape: Shape): number {
  const adds = name.includes('attn_output') || name.includes('ffn_down')
  if (!adds || name.includes('.adapter_a')) return 1
  return (2 * LOGIT_DEVIATION) / Math.sqrt(shape.width) / Math.sqrt(2 * shape.layers)
}

function specOf(shape: Shape): ModelSpec {
  const { experts } = shape
  return {
    architecture: shape.architecture,
    attention: shape.attention,
    shift: shape.attention === 'causal-context',
    blockSize: shape.window,
    layers: shape.layers,
    width: shape.width,
    heads: shape.heads,
    kvHeads: shape.kvHeads,
    headWidth: shape.width / shape.heads,
    feedForward: shape.feedForward,
    vocabulary: shape.vocabulary,
    contextTokens: shape.context,
    normEpsilon: shape.epsilon,
    rope: { theta: shape.theta, dimensions: shape.width / shape.heads, style: 'neighbours' },
    qkNorm: shape.architecture === 'llada-moe',
    tied: shape.tied,
    router: experts && {
      experts: experts.count,
      used: experts.used,
      width: experts.width,
      renormalise: false,
      scale: experts.scale ?? 1,
    },
    adapterRank: shape.adapterRank ?? 0,
    maskToken: MASK_TOKEN,
    endTokens: [END_TOKEN],
    bannedTokens: [],
  }
}

function string(value: string): GgufValue {
  return { type: 'string', value }
}

function u32(value: number): GgufValue {
  return { type: 'u32', value }
}

function f32(value: number): GgufValue {
  return { type: 'f32', value }
}
