import type { Attention } from '../../model/spec.ts'
import type { WritableType } from '../encode.ts'

/** A known shape. Numbers as in the published models' configurations; the tiny ones are ours, for tests. */
export type Shape = {
  about: string
  architecture: 'llama' | 'llada' | 'llada-moe'
  attention: Attention
  layers: number
  width: number
  heads: number
  kvHeads: number
  /** 0: experts only. */
  feedForward: number
  /** Rows of the embedding; those behind the tokens are never drawn. */
  vocabulary: number
  /** Every row is a token with a name: llama.cpp refuses a file with more rows than tokens. */
  named?: boolean
  context: number
  theta: number
  epsilon: number
  tied: boolean
  /** Block or window. */
  window: number
  type: WritableType
  adapterRank?: number
  experts?: { count: number; used: number; width: number; scale?: number }
}

const TINY = {
  layers: 2,
  width: 64,
  heads: 4,
  kvHeads: 4,
  feedForward: 128,
  vocabulary: 288,
  context: 512,
  theta: 10_000,
  epsilon: 1e-5,
  tied: false,
  window: 8,
  type: 'F32',
} as const

const TINY_CAUSAL = {
  ...TINY,
  architecture: 'llama',
  attention: 'causal-context',
  kvHeads: 2,
  tied: true,
  window: 4,
  adapterRank: 8,
} as const

export const SHAPES: Readonly<Record<string, Shape>> = {
  'tiny-dense': { ...TINY, about: 'LLaDA layout, bidirectional', architecture: 'llada', attention: 'bidirectional' },
  'tiny-moe': {
    ...TINY,
    about: 'LLaDA-MoE layout: 8 experts, 2 used',
    architecture: 'llada-moe',
    attention: 'bidirectional',
    feedForward: 0,
    experts: { count: 8, used: 2, width: 32 },
  },
  'tiny-block': { ...TINY, about: 'LLaDA layout, block-causal', architecture: 'llada', attention: 'block-causal' },
  'tiny-causal': { ...TINY_CAUSAL, about: 'llama layout, causal context, window adapters' },
  'tiny-causal-moe': {
    ...TINY_CAUSAL,
    about: 'the same with 4 experts beside the feed-forward, 2 used',
    experts: { count: 4, used: 2, width: 32, scale: 0.5 },
  },
  '44m-dense': {
    about: 'LLaDA layout, 44 M parameters: a bench that any machine can run',
    architecture: 'llada',
    attention: 'bidirectional',
    layers: 8,
    width: 512,
    heads: 8,
    kvHeads: 8,
    feedForward: 1536,
    vocabulary: 16_384,
    named: true,
    context: 4096,
    theta: 500_000,
    epsilon: 1e-5,
    tied: false,
    window: 32,
    type: 'Q8_0',
  },
  'llada-8b': {
    about: 'LLaDA-8B: 8.5 GB in Q8_0',
    architecture: 'llada',
    attention: 'bidirectional',
    layers: 32,
    width: 4096,
    heads: 32,
    kvHeads: 32,
    feedForward: 12_288,
    vocabulary: 126_464,
    context: 4096,
    theta: 500_000,
    epsilon: 1e-5,
    tied: false,
    window: 32,
    type: 'Q8_0',
  },
  'llada-moe-7b': {
    about: 'LLaDA-MoE-7B-A1B: 64 experts, 8 used; 7.8 GB in Q8_0',
    architecture: 'llada-moe',
    attention: 'bidirectional',
    layers: 16,
    width: 2048,
    heads: 16,
    kvHeads: 16,
    feedForward: 0,
    vocabulary: 157_184,
    context: 8192,
    theta: 50_000,
    epsilon: 1e-5,
    tied: false,
    window: 32,
    type: 'Q8_0',
    experts: { count: 64, used: 8, width: 1024 },
  },
  'smollm2-135m': {
    about: 'SmolLM2-135M with window adapters: the shape of the bundled pair',
    architecture: 'llama',
    attention: 'causal-context',
    layers: 30,
    width: 576,
    heads: 9,
    kvHeads: 3,
    feedForward: 1536,
    vocabulary: 49_152,
    context: 8192,
    theta: 100_000,
    epsilon: 1e-5,
    tied: true,
    window: 4,
    type: 'Q4_1',
    adapterRank: 64,
  },
}
