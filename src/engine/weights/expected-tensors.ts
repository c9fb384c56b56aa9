import type { ModelSpec } from '../model/spec.ts'
import type { GgmlTypeName } from './types.ts'

/** `exact`: F32 only (norms, routers). `plain`: F32, F16 or BF16. `any`: every readable type. */
export type ExpectedTensor = { name: string; shape: number[]; types: 'exact' | 'plain' | 'any' }

export const TYPES_OF: Readonly<Record<ExpectedTensor['types'], readonly GgmlTypeName[] | undefined>> = {
  exact: ['F32'],
  plain: ['F32', 'F16', 'BF16'],
  any: undefined,
}

/** Every tensor that a model of this description has, in llama.cpp's names, shapes in ggml order (row length first). */
export function* expectedTensors(spec: ModelSpec): Generator<ExpectedTensor> {
  const { width } = spec
  yield any('token_embd.weight', width, spec.vocabulary)
  if (!spec.tied) yield any('output.weight', width, spec.vocabulary)
  yield exact('output_norm.weight', width)
  if (spec.adapterRank > 0) yield { name: 'mask_embd.weight', shape: [width], types: 'plain' }
  for (let i = 0; i < spec.layers; i++) yield* expectedOfLayer(spec, `blk.${i}`)
}

function* expectedOfLayer(spec: ModelSpec, at: string): Generator<ExpectedTensor> {
  const { width, headWidth, feedForward, router } = spec
  const queries = spec.heads * headWidth
  const keys = spec.kvHeads * headWidth
  yield exact(`${at}.attn_norm.weight`, width)
  yield any(`${at}.attn_q.weight`, width, queries)
  yield any(`${at}.attn_k.weight`, width, keys)
  yield any(`${at}.attn_v.weight`, width, keys)
  yield any(`${at}.attn_output.weight`, queries, width)
  if (spec.qkNorm) {
    yield exact(`${at}.attn_q_norm.weight`, headWidth)
    yield exact(`${at}.attn_k_norm.weight`, headWidth)
  }
  yield exact(`${at}.ffn_norm.weight`, width)
  if (feedForward > 0) {
    yield any(`${at}.ffn_gate.weight`, width, feedForward)
    yield any(`${at}.ffn_up.weight`, width, feedForward)
    yield any(`${at}.ffn_down.weight`, feedForward, width)
  }
  if (router !== undefined) {
    yield exact(`${at}.ffn_gate_inp.weight`, width, router.experts)
    yield any(`${at}.ffn_gate_exps.weight`, width, router.width, router.experts)
    yield any(`${at}.ffn_up_exps.weight`, width, router.width, router.experts)
    yield any(`${at}.ffn_down_exps.weight`, router.width, width, router.experts)
  }
  if (spec.adapterRank > 0) yield* expectedAdapters(spec, at, queries, keys)
}

/** Window adapters: y = W x + B (A x), on the four fused products. */
function* expectedAdapters(spec: ModelSpec, at: string, queries: number, keys: number): Generator<ExpectedTensor> {
  const { width, feedForward, adapterRank } = spec
  const products: [name: string, from: number, to: number][] = [
    ['attn_qkv', width, queries + 2 * keys],
    ['attn_output', queries, width],
  ]
  if (feedForward > 0) products.push(['ffn_gate_up', width, 2 * feedForward], ['ffn_down', feedForward, width])
  for (const [name, from, to] of products) {
    yield any(`${at}.${name}.adapter_a.weight`, from, adapterRank)
    yield any(`${at}.${name}.adapter_b.weight`, adapterRank, to)
  }
}

function any(name: string, ...shape: number[]): ExpectedTensor {
  return { name, shape, types: 'any' }
}

function exact(name: string, ...shape: number[]): ExpectedTensor {
  return { name, shape, types: 'exact' }
}
