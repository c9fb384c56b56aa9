import type { Outcome } from '../sequence.ts'

/** A forward that computed prompt rows only. */
export const PROMPT_ONLY: Outcome = {
  denoised: false,
  set: [],
  takenBack: [],
  masked: [],
  confirmed: [],
  ended: undefined,
}

/** Counts the confirmed tokens of a reply and tells where it ends. */
export class Reply {
  #count = 0
  readonly #tokensMax: number
  readonly #endTokens: ReadonlySet<number>

  constructor(tokensMax: number, endTokens: readonly number[]) {
    this.#tokensMax = tokensMax
    this.#endTokens = new Set(endTokens)
  }

  get endTokens(): ReadonlySet<number> {
    return this.#endTokens
  }

  /** The next confirmed tokens, cut at the end of turn (which is left out) or at the limit. */
  take(tokens: readonly number[]): Pick<Outcome, 'confirmed' | 'ended'> {
    const room = this.#tokensMax - this.#count
    const end = tokens.findIndex((token) => this.#endTokens.has(token))
    const confirmed = tokens.slice(0, end === -1 ? room : Math.min(end, room))
    this.#count += confirmed.length
    if (end !== -1 && end <= confirmed.length && end < room) return { confirmed, ended: 'stop' }
    return { confirmed, ended: this.#count === this.#tokensMax ? 'length' : undefined }
  }
}
