import type { Tensor } from '../ggml/handles.ts'
import type { Adapter, Linear, Matrix } from './linear.ts'
import type { ModelSpec } from './spec.ts'

export type LayerWeights = {
  attentionNorm: Tensor
  /** Rows: queries, keys, values. */
  qkv: Linear
  queryNorm: Tensor | undefined
  keyNorm: Tensor | undefined
  attentionOutput: Linear
  feedForwardNorm: Tensor
  /** Rows: gate, up. */
  dense: { gateUp: Linear; down: Linear } | undefined
  experts: { router: Tensor; gate: Matrix; up: Matrix; down: Matrix } | undefined
  adapters: { qkv: Adapter; output: Adapter; gateUp: Adapter | undefined; down: Adapter | undefined } | undefined
}

export type Weights = {
  embedding: Tensor
  head: Linear
  outputNorm: Tensor
  /** [width, 1]: stands for the mask token in adapted rows. */
  maskVector: Tensor | undefined
  layers: LayerWeights[]
}

/** By name, or by the joined names of those that lie together. */
export type Tensors = ReadonlyMap<string, Matrix>

/** What each place of the network has. Throws where a tensor is missing: files are checked before. */
export function arrangeWeights(spec: ModelSpec, tensors: Tensors): Weights {
  const head = linearOf(tensors, [tensors.has('output.weight') ? 'output' : 'token_embd'], spec.width, spec.vocabulary)
  return {
    embedding: plainOf(tensors, 'token_embd'),
    head,
    outputNorm: plainOf(tensors, 'output_norm'),
    maskVector: tensors.has('mask_embd.weight') ? plainOf(tensors, 'mask_embd') : undefined,
    layers: Array.from({ length: spec.layers }, (_, i) => arrangeLayer(spec, tensors, `blk.${i}`)),
  }
}

function matrixOf(tensors: Tensors, name: string): Matrix {
  const matrix = tensors.get(`${name}.weight`)
  if (matrix === undefined) throw new Error(`the tensor ${name}.weight was not loaded`)
  return matrix
}

function plainOf(tensors: Tensors, name: string): Tensor {
  const matrix = matrixOf(tensors, name)
  if (matrix.packed !== undefined) throw new Error(`the tensor ${name}.weight was packed`)
  return matrix.weights
}

function linearOf(tensors: Tensors, names: readonly string[], from: number, to: number): Linear {
  const whole = tensors.get(names.map((name) => `${name}.weight`).join('+'))
  return { parts: whole === undefined ? names.map((name) => matrixOf(tensors, name)) : [whole], from, to }
}

function arrangeLayer(spec: ModelSpec, tensors: Tensors, at: string): LayerWeights {
  const { width, heads, kvHeads, headWidth, feedForward, adapterRank: rank } = spec
  const queries = heads * headWidth
  const get = (name: string) => plainOf(tensors, `${at}.${name}`)
  const find = (name: string) => (tensors.has(`${at}.${name}.weight`) ? get(name) : undefined)
  const linear = (names: readonly string[], from: number, to: number): Linear =>
    linearOf(
      tensors,
      names.map((name) => `${at}.${name}`),
      from,
      to,
    )
  const adapter = (name: string, { from, to }: Linear): Adapter => ({
    a: linear([`${name}.adapter_a`], from, rank),
    b: linear([`${name}.adapter_b`], rank, to),
  })
  const qkv = linear(['attn_q', 'attn_k', 'attn_v'], width, queries + 2 * kvHeads * headWidth)
  const attentionOutput = linear(['attn_output'], queries, width)
  const dense =
    feedForward === 0
      ? undefined
      : {
          gateUp: linear(['ffn_gate', 'ffn_up'], width, 2 * feedForward),
          down: linear(['ffn_down'], feedForward, width),
        }
  return {
    attentionNorm: get('attn_norm'),
    qkv,
    queryNorm: find('attn_q_norm'),
    keyNorm: find('attn_k_norm'),
    attentionOutput,
    feedForwardNorm: get('ffn_norm'),
    dense,
    experts:
      spec.router === undefined
        ? undefined
        : {
            router: get('ffn_gate_inp'),
            gate: matrixOf(tensors, `${at}.ffn_gate_exps`),
            up: matrixOf(tensors, `${at}.ffn_up_exps`),
            down: matrixOf(tensors, `${at}.ffn_down_exps`),
          },
    adapters:
      rank === 0
        ? undefined
        : {
            qkv: adapter('attn_qkv', qkv),
            output: adapter('attn_output', attentionOutput),
            gateUp: dense && adapter('ffn_gate_up', dense.gateUp),
            down: dense && adapter('ffn_down', dense.down),
          },
  }
}
