import type { Attention, ModelSpec, Router } from '../model/spec.ts'
import { WeightsError } from './errors.ts'
import { DECODING_DEFAULTS, FAMILIES } from './families.ts'
import type { Family } from './families.ts'
import type { GgufKeys } from './gguf/keys.ts'
import { bannedTokens, endTokensByName, findToken } from './vocabulary.ts'
import type { Vocabulary } from './vocabulary.ts'

export type Sources = {
  /** Keys of the file with the layers. */
  base: GgufKeys
  /** Keys of the file that was named: the additions, or the same as `base`. `unmask.*` is read from here only. */
  own: GgufKeys
  vocabulary: Vocabulary
  /** Rows of the embedding, its width, and whether there is a head of its own. */
  rows: number
  tied: boolean
}

const ATTENTIONS: Readonly<Record<string, Attention>> = {
  bidirectional: 'bidirectional',
  'block-causal': 'block-causal',
  'causal-context': 'causal-context',
}

/** What the keys say the model is. Throws WeightsError where they say too little or contradict themselves. */
export function describeModel(sources: Sources): ModelSpec {
  const { base, own } = sources
  const architecture = base.findString('general.architecture') ?? base.miss('general.architecture')
  const family =
    FAMILIES[architecture] ??
    base.refuse('general.architecture', `one of ${Object.keys(FAMILIES).join(', ')}; it is ${architecture}`)
  const ids = describeIds(sources)
  const attention = describeAttention(own, family)
  const shape = describeShape(base, architecture, family)
  return {
    architecture,
    attention,
    shift: describeShift(base, own, family, attention),
    blockSize: own.findCount('unmask.window') ?? DECODING_DEFAULTS[attention].window,
    ...shape,
    vocabulary: sources.rows,
    contextTokens: describeContext(base, own, architecture),
    qkNorm: family.qkNorm,
    tied: sources.tied,
    router: describeRouter(base, own, architecture, family),
    adapterRank: own.findCount('unmask.adapter.rank') ?? 0,
    ...ids,
  }
}

function describeIds({
  base,
  own,
  vocabulary,
  rows,
}: Sources): Pick<ModelSpec, 'maskToken' | 'endTokens' | 'bannedTokens'> {
  const mask = findToken(own, 'unmask.mask_token_id', rows) ?? findToken(base, 'tokenizer.ggml.mask_token_id', rows)
  if (mask === undefined) {
    throw new WeightsError(
      'the file names no mask token (tokenizer.ggml.mask_token_id or unmask.mask_token_id): it is no mask-diffusion model, or it was converted without it',
    )
  }
  const named = own.findNumbers('unmask.end_token_ids')
  const ends = named === undefined ? endsOfFile(base, vocabulary, rows) : Array.from(named)
  if (ends.length === 0)
    throw new WeightsError('the file names no token that ends a turn (tokenizer.ggml.eos_token_id)')
  for (const id of ends) {
    if (!Number.isInteger(id) || id < 0 || id >= rows || id === mask) {
      throw new WeightsError(`the end token ${id} is the mask or outside the vocabulary of ${rows}`)
    }
  }
  return { maskToken: mask, endTokens: ends, bannedTokens: bannedTokens(vocabulary, { mask, ends, rows }) }
}

function endsOfFile(base: GgufKeys, vocabulary: Vocabulary, rows: number): number[] {
  const keyed = ['tokenizer.ggml.eos_token_id', 'tokenizer.ggml.eot_token_id'].map((name) =>
    findToken(base, name, rows),
  )
  const all = [...keyed.filter((id) => id !== undefined), ...endTokensByName(vocabulary)]
  return [...new Set(all)].sort((a, b) => a - b)
}

function describeAttention(own: GgufKeys, family: Family): Attention {
  const named = own.findString('unmask.attention')
  if (named === undefined) return family.attention ?? own.miss('unmask.attention')
  return ATTENTIONS[named] ?? own.refuse('unmask.attention', `one of ${Object.keys(ATTENTIONS).join(', ')}`)
}

/** llama.cpp keeps `diffusion.shift_logits` as a string in some files and as a boolean in others. */
function describeShift(base: GgufKeys, own: GgufKeys, family: Family, attention: Attention): boolean {
  const said = own.findBoolean('unmask.shift')
  const found = base.find('diffusion.shift_logits')?.value
  if (found !== undefined && ![true, false, 'true', 'false'].includes(found as string | boolean)) {
    base.refuse('diffusion.shift_logits', 'true or false')
  }
  const shift = said ?? (found === undefined ? family.shift : found === true || found === 'true')
  if (attention === 'causal-context' && !shift) own.refuse('unmask.shift', 'true where attention is causal-context')
  return shift
}

function describeContext(base: GgufKeys, own: GgufKeys, architecture: string): number {
  const trained = base.getCount(`${architecture}.context_length`)
  const chosen = own.findCount('unmask.context_length') ?? trained
  if (chosen < 1 || chosen > trained) own.refuse('unmask.context_length', `1 to ${trained}, the context of the weights`)
  return chosen
}

type Shape = Pick<
  ModelSpec,
  'layers' | 'width' | 'heads' | 'kvHeads' | 'headWidth' | 'feedForward' | 'normEpsilon' | 'rope'
>

function describeShape(keys: GgufKeys, architecture: string, family: Family): Shape {
  const at = (name: string) => `${architecture}.${name}`
  const width = keys.getCount(at('embedding_length'))
  const heads = keys.getCount(at('attention.head_count'))
  const kvHeads = keys.findCount(at('attention.head_count_kv')) ?? heads
  if (heads < 1 || kvHeads < 1 || heads % kvHeads !== 0) {
    keys.refuse(at('attention.head_count_kv'), `a divisor of the ${heads} heads`)
  }
  const headWidth = keys.findCount(at('attention.key_length')) ?? width / heads
  if (!Number.isInteger(headWidth) || headWidth < 2 || headWidth % 2 !== 0) {
    keys.refuse(at('attention.head_count'), `a divisor of ${width} that leaves heads of even width`)
  }
  const valueWidth = keys.findCount(at('attention.value_length')) ?? headWidth
  if (valueWidth !== headWidth) keys.refuse(at('attention.value_length'), `${headWidth}, as keys are`)
  const normEpsilon = keys.findNumber(at('attention.layer_norm_rms_epsilon')) ?? 1e-5
  if (!(normEpsilon > 0 && normEpsilon < 1)) keys.refuse(at('attention.layer_norm_rms_epsilon'), 'between 0 and 1')
  return {
    layers: keys.getCount(at('block_count')),
    width,
    heads,
    kvHeads,
    headWidth,
    feedForward: family.experts ? 0 : keys.getCount(at('feed_forward_length')),
    normEpsilon,
    rope: describeRope(keys, architecture, family, headWidth),
  }
}

function describeRope(keys: GgufKeys, architecture: string, family: Family, headWidth: number): ModelSpec['rope'] {
  const dimensionsKey = `${architecture}.rope.dimension_count`
  const dimensions = keys.findCount(dimensionsKey) ?? headWidth
  if (dimensions < 2 || dimensions % 2 !== 0 || dimensions > headWidth) {
    keys.refuse(dimensionsKey, `even and at most ${headWidth}`)
  }
  const thetaKey = `${architecture}.rope.freq_base`
  const theta = keys.findNumber(thetaKey) ?? 10_000
  if (!(theta > 1 && theta < 1e12)) keys.refuse(thetaKey, 'between 1 and 1e12')
  const scalingKey = `${architecture}.rope.scaling.type`
  const scaling = keys.findString(scalingKey) ?? 'none'
  if (scaling !== 'none') keys.refuse(scalingKey, `"none"; scaled rotations (${scaling}) are not supported`)
  return { theta, dimensions, style: family.ropeStyle }
}

/** Experts of the file's own (`llada-moe`), or added beside the base's feed-forward, which then is the shared expert. */
function describeRouter(base: GgufKeys, own: GgufKeys, architecture: string, family: Family): Router | undefined {
  const added = own.findCount('unmask.expert.count') ?? 0
  if (!family.experts && added === 0) return undefined
  if (family.experts && added > 0) own.refuse('unmask.expert.count', 'absent: the base has experts already')
  const keys = family.experts ? base : own
  const name = (rest: string) => (family.experts ? `${architecture}.expert_${rest}` : `unmask.expert.${rest}`)
  const experts = keys.getCount(name('count'))
  const used = keys.getCount(name('used_count'))
  if (used < 1 || used > experts) keys.refuse(name('used_count'), `1 to ${experts}, the number of experts`)
  const scale = keys.findNumber(name('weights_scale')) ?? 1
  // llama.cpp writes 0 for "not scaled".
  return {
    experts,
    used,
    width: keys.getCount(name('feed_forward_length')),
    renormalise: keys.findBoolean(name('weights_norm')) ?? false,
    scale: scale === 0 ? 1 : scale,
  }
}
