import type { ChatTurn } from '../messages.ts'
import type { Vocabulary } from '../weights/vocabulary.ts'
import type { EncodedPrompt } from './prompt-encoder.ts'

/** What the encoder says to its threads. */
export type ToThread =
  | { kind: 'model'; model: string; vocabulary: Vocabulary; template: string }
  | { kind: 'encode'; job: number; model: string; turns: readonly ChatTurn[]; tokensMax: number }

/** What they answer: to each `model` one `ready` or `unusable`, to each `encode` one `encoded`. */
export type FromThread =
  | { kind: 'ready'; model: string; longestBytes: number }
  | { kind: 'unusable'; model: string; reason: string }
  | { kind: 'encoded'; job: number; prompt: EncodedPrompt }
