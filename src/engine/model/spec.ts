/** What a model is, as data: read from a file's keys, never guessed. One forward builder reads it. */

export type Attention = 'bidirectional' | 'block-causal' | 'causal-context'

export type Rope = {
  theta: number
  /** Dimensions of each head that are rotated. */
  dimensions: number
  /** `neighbours`: pairs (2i, 2i+1), ggml's NORM. `halves`: pairs (i, i + d/2), ggml's NEOX. */
  style: 'neighbours' | 'halves'
}

/** A softmax router over all experts in F32; the chosen ones' weights are renormalised only where `renormalise`. */
export type Router = {
  experts: number
  used: number
  width: number
  renormalise: boolean
  scale: number
}

export type ModelSpec = {
  /** `general.architecture` of the file with the layers. */
  architecture: string
  attention: Attention
  /** True: the row at position i predicts the token at i + 1. */
  shift: boolean
  /** Default block (bidirectional, block-causal) or window (causal-context), in tokens. */
  blockSize: number
  layers: number
  width: number
  heads: number
  kvHeads: number
  headWidth: number
  /** Width of the dense feed-forward; 0 where every layer is experts only. */
  feedForward: number
  vocabulary: number
  contextTokens: number
  normEpsilon: number
  rope: Rope
  /** Per-head RMS norms on queries and keys, before the rotation. */
  qkNorm: boolean
  /** Embedding and head are one matrix. */
  tied: boolean
  router: Router | undefined
  /** Rank of the window adapters; 0: none. */
  adapterRank: number
  maskToken: number
  /** Tokens that end a turn. Never empty. */
  endTokens: number[]
  /** Never a candidate: mask, role and other control tokens, and padding of the vocabulary; end tokens are not among them. */
  bannedTokens: number[]
}
