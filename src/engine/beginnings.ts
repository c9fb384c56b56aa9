import type { Forward, Lease } from './model/forward.ts'

/** Finished sequences whose keys and values are kept, because the next request may begin with the same tokens. */
type Kept = { lease: Lease; tokens: readonly number[]; owner: string; common: number }

export type Match = { lease: Lease; count: number }

/** Below this, copying is not worth an entry. */
const TOKENS_MIN = 8
/** Bounds the time of a search; cells bound the memory. */
const KEPT_MAX = 64

/**
 * Least recently used first. A beginning is shared inside one owner only, so that no one learns from a reply's speed what
 * others have asked; between owners only what the template itself puts in front (`common` tokens) is shared.
 */
export class Beginnings {
  readonly #forward: Forward
  #kept: Kept[] = []

  constructor(forward: Forward) {
    this.#forward = forward
  }

  get size(): number {
    return this.#kept.length
  }

  /** Cells of all that is kept. */
  get cells(): number {
    return this.#kept.reduce((sum, { lease }) => sum + lease.cells, 0)
  }

  get leases(): Lease[] {
    return this.#kept.map(({ lease }) => lease)
  }

  /** The longest kept beginning of these tokens that this owner may share. */
  find(tokens: readonly number[], owner: string, common: number): Match | undefined {
    let best: { kept: Kept; count: number } | undefined
    for (const kept of this.#kept) {
      const bound = kept.owner === owner ? tokens.length : Math.min(common, kept.common)
      const count = sharedLength(kept.tokens, tokens, bound)
      if (count >= TOKENS_MIN && count > (best?.count ?? 0)) best = { kept, count }
    }
    if (best === undefined) return undefined
    const { kept, count } = best
    this.#kept = [...this.#kept.filter((other) => other !== kept), kept]
    return { lease: kept.lease, count }
  }

  /** Takes over the lease: `tokens` stand exactly in its first cells, `common` of them are the template's own. */
  keep(lease: Lease, tokens: readonly number[], owner: string, common: number): void {
    if (tokens.length < TOKENS_MIN) return this.#forward.release(lease)
    // What is a beginning of the new one serves nobody any more.
    for (const old of this.#kept) {
      const inside = old.owner === owner && sharedLength(old.tokens, tokens, old.tokens.length) === old.tokens.length
      if (inside) this.#drop(old)
    }
    this.#kept.push({ lease: this.#tighten(lease, tokens.length), tokens, owner, common })
    if (this.#kept.length > KEPT_MAX) this.dropOldest()
  }

  /** Gives the oldest one's cells back; false where none is left. `spare` is kept as long as there is another. */
  dropOldest(spare?: Lease): boolean {
    const oldest = this.#kept.find((kept) => kept.lease !== spare) ?? this.#kept[0]
    if (oldest === undefined) return false
    this.#drop(oldest)
    return true
  }

  holds(lease: Lease): boolean {
    return this.#kept.some((kept) => kept.lease === lease)
  }

  #drop(kept: Kept): void {
    this.#kept = this.#kept.filter((other) => other !== kept)
    this.#forward.release(kept.lease)
  }

  /** A reply seldom uses all the cells that were set aside for it. */
  #tighten(lease: Lease, count: number): Lease {
    if (count * 2 > lease.cells) return lease
    const small = this.#forward.lease(count)
    if (small === undefined) return lease
    this.#forward.copy(lease, small, count)
    this.#forward.release(lease)
    return small
  }
}

function sharedLength(a: readonly number[], b: readonly number[], bound: number): number {
  const end = Math.min(a.length, b.length, bound)
  let i = 0
  while (i < end && a[i] === b[i]) i++
  return i
}
