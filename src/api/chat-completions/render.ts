import { createHash } from 'node:crypto'
import type { EngineUsage, GenerateEvent, ModelCard } from '../../engine/messages.ts'

/** What every object of one reply says alike. */
export type Head = { id: string; created: number; model: string; fingerprint: string }

type Finish = 'stop' | 'length'
type Step = Extract<GenerateEvent, { kind: 'step' }>

export function renderCompletion(head: Head, text: string, finish: Finish, usage: EngineUsage) {
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    system_fingerprint: head.fingerprint,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finish }],
    usage: renderUsage(usage),
  }
}

/** One chunk. Every delta has a string `content`: clients throw without it, or without the role in the first. */
export function renderChunk(head: Head, delta: { role?: 'assistant'; content: string }, finish: Finish | null = null) {
  return { ...chunkHead(head), choices: [{ index: 0, delta, finish_reason: finish }] }
}

/** Clients iterate over `choices`, so the usage chunk has an empty one. */
export function renderUsageChunk(head: Head, usage: EngineUsage) {
  return { ...chunkHead(head), choices: [], usage: renderUsage(usage) }
}

export function renderStep(step: Step) {
  const set = step.set.map(({ position, text, probability }) => ({
    position,
    text,
    probability: rounded(probability, 4),
  }))
  return { step: step.step, set, taken_back: step.takenBack, masked: step.masked }
}

function chunkHead(head: Head) {
  return {
    id: head.id,
    object: 'chat.completion.chunk',
    created: head.created,
    model: head.model,
    system_fingerprint: head.fingerprint,
  }
}

function renderUsage(usage: EngineUsage) {
  const { promptTokens, completionTokens, steps } = usage
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    completion_tokens_details: {
      steps,
      tokens_per_step: steps === 0 ? 0 : rounded(completionTokens / steps, 2),
    },
  }
}

type Weights = Pick<ModelCard, 'id' | 'createdAt' | 'fileBytes'> & Partial<Pick<ModelCard, 'decoding'>>

const NO_WEIGHTS: Weights = { id: '', createdAt: 0, fileBytes: 0 }
const fingerprints = new WeakMap<Weights, string>()

/** Names the weights and their decoding: where it is the same, the same seed gives the same reply. Made once for each card. */
export function fingerprintOf(card: ModelCard | undefined): string {
  const weights: Weights = card ?? NO_WEIGHTS
  const known = fingerprints.get(weights)
  if (known !== undefined) return known
  const { id, createdAt, fileBytes, decoding } = weights
  const bytes = createHash('sha256').update(JSON.stringify([id, createdAt, fileBytes, decoding]))
  const made = `fp_${bytes.digest('hex').slice(0, 12)}`
  fingerprints.set(weights, made)
  return made
}

function rounded(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits
}
