/** One request's tokens on their way: which rows it needs next, and what becomes of the answers. Knows no text and no time. */
import { findRule, type Rule, rulesFor } from './denoise/registry.ts'
import { BlockCausal } from './forms/block-causal.ts'
import { Bidirectional } from './forms/bidirectional.ts'
import { CausalContext } from './forms/causal-context.ts'
import type { Decoding } from './messages.ts'
import type { Candidates, Span } from './model/forward.ts'
import type { Attention, ModelSpec } from './model/spec.ts'
import type { Sampling } from './sample.ts'

/** A position of the reply, counted from its first token, and the token that was put there. */
export type Mark = { position: number; token: number; probability: number }

/** What one forward did to one sequence. */
export type Outcome = {
  /** False while only prompt rows were computed: no mark, nothing confirmed. */
  denoised: boolean
  set: Mark[]
  /** Positions of the reply that are open again. */
  takenBack: number[]
  /** Positions of the reply still open in the block or window. */
  masked: number[]
  /** Tokens of the reply that can no longer change, in order. The end of turn is never among them. */
  confirmed: number[]
  ended: 'stop' | 'length' | undefined
}

export interface Sequence {
  /** Prompt rows that stand before the first draw; 0 once the reply has begun. Only these may be cut in pieces. */
  readonly promptRows: number
  /**
   * Spans of the next forward. `rowsMax` (at least 1) bounds the prompt rows among them, rounded up to a whole block;
   * `others`: replies computed in the same forward (0 where not told), which may change the pace, never the text.
   */
  plan(rowsMax: number, others?: number): Span[]
  /** Takes the candidates of the rows that the last plan wanted, in order. */
  settle(rows: readonly Candidates[]): Outcome
  /** Tokens whose keys and values stand exactly in the first cells of the lease: what another request may copy. */
  exactTokens(): number[]
}

export type Setup = {
  spec: ModelSpec
  decoding: Decoding
  sampling: Sampling
  /** At least 1 token. */
  prompt: readonly number[]
  /** So many first cells of the lease hold the prompt's keys and values already. Below the prompt's length. */
  reused: number
  /** Reply tokens at most: the request's wish, cut by the window. At least 1. */
  tokensMax: number
}

export type SetupWithRule = Setup & { rule: Rule }

const WINDOW_MAX = 1024

/** Why this model cannot decode so, as a sentence; undefined when it can. */
export function findProblem({ rule, window, perStep }: Decoding, form: Attention): string | undefined {
  if (findRule(rule, form) === undefined) {
    return `A ${form} model cannot follow the rule "${rule}"; it can follow ${rulesFor(form).join(', ')}.`
  }
  if (!Number.isInteger(window) || window < 1 || window > WINDOW_MAX) {
    return `The window is ${window}; allowed: a whole number from 1 to ${WINDOW_MAX}.`
  }
  return perStep >= 1 ? undefined : `Tokens a step are ${perStep}; allowed: at least 1.`
}

/** Throws where `findProblem` finds one. */
export function startSequence(setup: Setup): Sequence {
  const rule = findRule(setup.decoding.rule, setup.spec.attention)
  const problem = findProblem(setup.decoding, setup.spec.attention)
  if (rule === undefined || problem !== undefined) throw new Error(problem)
  const withRule = { ...setup, rule }
  switch (setup.spec.attention) {
    case 'causal-context':
      return new CausalContext(withRule)
    case 'block-causal':
      return new BlockCausal(withRule)
    case 'bidirectional':
      return new Bidirectional(withRule)
  }
}

/** Cells a sequence needs for a prompt and so many reply tokens. */
export function cellsNeeded(spec: ModelSpec, decoding: Decoding, prompt: number, reply: number): number {
  const end = prompt + reply
  switch (spec.attention) {
    case 'causal-context':
      return end + decoding.window
    case 'block-causal':
      return Math.ceil(end / decoding.window) * decoding.window
    case 'bidirectional':
      return prompt + Math.ceil(reply / decoding.window) * decoding.window
  }
}

/** How much of a beginning that the same model left may be taken over: always leaves the last prompt token to compute. */
export function reusableCount(spec: ModelSpec, decoding: Decoding, shared: number, prompt: number): number {
  const most = Math.min(shared, prompt - 1)
  switch (spec.attention) {
    case 'causal-context':
      return most
    case 'block-causal':
      return Math.floor(most / decoding.window) * decoding.window
    case 'bidirectional':
      return 0
  }
}
