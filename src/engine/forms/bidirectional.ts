import type { Candidates, Span } from '../model/forward.ts'
import type { Outcome, Sequence, SetupWithRule } from '../sequence.ts'
import { Canvas } from './canvas.ts'

/**
 * The whole reply stands as masks behind the prompt and is denoised block by block from the left (LLaDA). Every row sees all.
 * The first step of a block computes the whole canvas; the later ones only the block's rows, against the keys and values that
 * step left to both sides (Fast-dLLM's prefix and dual cache: an approximation). `exact` decoding computes the whole
 * canvas at every step. The context allows no cutting in pieces and no reuse.
 */
export class Bidirectional implements Sequence {
  readonly #setup: SetupWithRule
  readonly #canvas: Canvas
  readonly #length: number
  #begun = false
  #planned: number[] = []
  /** Candidates of the row left of the block, from the last whole-canvas step (models whose row i speaks of i + 1). */
  #left: Candidates | undefined

  constructor(setup: SetupWithRule) {
    this.#setup = setup
    const { prompt, tokensMax, decoding, spec } = setup
    const reply = Math.ceil(tokensMax / decoding.window) * decoding.window
    this.#length = Math.min(prompt.length + reply, spec.contextTokens)
    this.#canvas = new Canvas(setup)
    this.#canvas.growTo(this.#length)
    this.#begin(prompt.length)
  }

  get promptRows(): number {
    return this.#begun ? 0 : this.#setup.prompt.length
  }

  exactTokens(): number[] {
    return []
  }

  plan(): Span[] {
    const open = this.#canvas.open()
    const whole = this.#isWhole()
    const [start, end] = whole ? [0, this.#length] : [this.#canvas.start, this.#canvas.end]
    const rows = open
      .map((position) => (this.#setup.spec.shift ? position - 1 : position))
      .filter((row) => row >= start)
    const wanted = new Set(rows)
    const tokens = this.#canvas.tokens.slice(start, end)
    this.#planned = open
    return [
      {
        tokens,
        position: start,
        writeAt: start,
        sees: { until: start, from: start, to: this.#length },
        adapted: false,
        wanted: tokens.map((_, i) => wanted.has(start + i)),
      },
    ]
  }

  settle(rows: readonly Candidates[]): Outcome {
    const open = this.#planned
    const { shift } = this.#setup.spec
    const atLeft = shift && open[0] === this.#canvas.start
    if (atLeft && this.#isWhole()) this.#left = rows[0]
    const skipped = atLeft && !this.#isWhole() ? 1 : 0
    const found = new Map(open.slice(skipped).map((position, i) => [position, rows[i]]))
    this.#begun = true
    const outcome = this.#canvas.settle((position) => found.get(position) ?? this.#left)
    if (outcome.ended === undefined && outcome.masked.length === 0) this.#begin(this.#canvas.end)
    return outcome
  }

  #isWhole(): boolean {
    return this.#canvas.fresh || this.#setup.decoding.exact === true
  }

  #begin(start: number): void {
    this.#canvas.begin(start, Math.min(start + this.#setup.decoding.window, this.#length))
  }
}
