import { Beginnings } from './beginnings.ts'
import type { Decoding } from './messages.ts'
import type { Forward } from './model/forward.ts'
import type { ModelSpec } from './model/spec.ts'
import { PrefillPace } from './prefill-pace.ts'

/** Tokens in, append-only text out. */
export type TextStream = {
  /** Text that can no longer change; may be empty. */
  push(tokens: readonly number[]): string
  /** What was held back. After it nothing comes. */
  finish(): string
  /** A stop string has ended the reply. */
  readonly stopped: boolean
  /** Tokens of all text that was returned. */
  readonly tokens: number
}

/** One bound model at work. */
export type Room = {
  id: string
  spec: ModelSpec
  decoding: Decoding
  forward: Forward
  beginnings: Beginnings
  pace: PrefillPace
  openText(stop: readonly string[]): TextStream
  /** One token's bytes as text, for step events. */
  tokenText(token: number): string
}

/** A room whose window also fits the cells that there are. */
export function openRoom(parts: Omit<Room, 'beginnings' | 'pace'>): Room {
  const { forward, decoding, spec } = parts
  // Any prompt and reply inside the window must find a lease when nothing else runs: two windows cover all roundings.
  const fits = forward.cellsTotal - 2 * decoding.window - 32
  return {
    ...parts,
    spec: { ...spec, contextTokens: Math.min(spec.contextTokens, fits) },
    beginnings: new Beginnings(forward),
    pace: new PrefillPace(),
  }
}
