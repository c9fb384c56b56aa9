import type { Attention, Rope } from '../model/spec.ts'

/** What an architecture's name decides and its keys do not say. */
export type Family = {
  /** llama.cpp permutes Q and K of some layouts, so that neighbours are rotated. */
  ropeStyle: Rope['style']
  qkNorm: boolean
  experts: boolean
  /** Where no `unmask.attention` says otherwise; undefined: it must. */
  attention: Attention | undefined
  /** Where no key says otherwise. */
  shift: boolean
}

/** `general.architecture` as llama.cpp writes it (src/llama-arch.cpp, src/models/). */
export const FAMILIES: Readonly<Record<string, Family>> = {
  llama: { ropeStyle: 'neighbours', qkNorm: false, experts: false, attention: undefined, shift: true },
  llada: { ropeStyle: 'neighbours', qkNorm: false, experts: false, attention: 'bidirectional', shift: false },
  'llada-moe': { ropeStyle: 'halves', qkNorm: true, experts: true, attention: 'bidirectional', shift: false },
}

/** `general.architecture` of a file that only adds to a base. */
export const ADDITIONS = 'unmask-additions'

/** Block or window and threshold where the file names none (Fast-dLLM for the first, LLaDA2.0's report for the second). */
export const DECODING_DEFAULTS: Readonly<Record<Attention, { rule: string; threshold: number; window: number }>> = {
  bidirectional: { rule: 'threshold', threshold: 0.9, window: 32 },
  'block-causal': { rule: 'threshold', threshold: 0.95, window: 32 },
  'causal-context': { rule: 'verified', threshold: 0.3, window: 4 },
}
