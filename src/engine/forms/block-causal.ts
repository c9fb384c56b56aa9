import type { Candidates, Span } from '../model/forward.ts'
import type { Outcome, Sequence, SetupWithRule } from '../sequence.ts'
import { Canvas } from './canvas.ts'
import { PROMPT_ONLY } from './reply.ts'

/**
 * Blocks tile from absolute position 0; a row sees its own block and all before it, so the prompt's last, unfinished block
 * is shared with the first reply tokens. A block is denoised with masks in it; once whole it runs again with its
 * final tokens, which makes its keys and values exact. That finishing pass goes in one forward with the next block's first step.
 */
export class BlockCausal implements Sequence {
  readonly #setup: SetupWithRule
  readonly #canvas: Canvas
  readonly #size: number
  /** Cells [0, #finished) are exact; always a block's edge. */
  #finished: number
  #planned: { blocks: number; open: number[] } = { blocks: 0, open: [] }
  /** Candidates of the row left of the current block, for models whose row i speaks of i + 1. */
  #left: Candidates | undefined

  constructor(setup: SetupWithRule) {
    this.#setup = setup
    this.#size = setup.decoding.window
    this.#finished = setup.reused
    this.#canvas = new Canvas(setup)
    this.#begin(Math.floor(setup.prompt.length / this.#size) * this.#size)
  }

  get promptRows(): number {
    const { length } = this.#setup.prompt
    return this.#finished + this.#size <= length ? length - this.#finished : 0
  }

  exactTokens(): number[] {
    return this.#canvas.tokens.slice(0, this.#finished)
  }

  plan(rowsMax: number): Span[] {
    const behind = (this.#canvas.start - this.#finished) / this.#size
    const blocks = this.promptRows === 0 ? behind : Math.min(behind, Math.ceil(rowsMax / this.#size))
    const reaches = blocks === behind
    const spans = Array.from({ length: blocks }, (_, i) => {
      const start = this.#finished + i * this.#size
      const isLeft = this.#setup.spec.shift && reaches && i === blocks - 1
      return this.#span(start, start + this.#size, isLeft ? [start + this.#size - 1] : [])
    })
    this.#planned = { blocks, open: reaches ? this.#canvas.open() : [] }
    if (!reaches) return spans
    const rows = this.#planned.open.map((position) => (this.#setup.spec.shift ? position - 1 : position))
    return [...spans, this.#span(this.#canvas.start, this.#canvas.end, rows)]
  }

  settle(rows: readonly Candidates[]): Outcome {
    const { blocks, open } = this.#planned
    this.#finished += blocks * this.#size
    if (open.length === 0) return PROMPT_ONLY
    const { shift } = this.#setup.spec
    const leftIsNew = shift && blocks > 0
    if (leftIsNew) this.#left = rows[0]
    const own = leftIsNew ? rows.slice(1) : rows
    const startsLeft = shift && open[0] === this.#canvas.start
    const places = startsLeft ? open.slice(1) : open
    const found = new Map(places.map((position, i) => [position, own[i]]))
    const outcome = this.#canvas.settle((position) =>
      startsLeft && position === this.#canvas.start ? this.#left : found.get(position),
    )
    if (outcome.ended === undefined && outcome.masked.length === 0) this.#begin(this.#canvas.end)
    return outcome
  }

  #begin(start: number): void {
    this.#canvas.begin(start, Math.min(start + this.#size, this.#setup.spec.contextTokens))
  }

  #span(start: number, end: number, wanted: readonly number[]): Span {
    const tokens = this.#canvas.tokens.slice(start, end)
    return {
      tokens,
      position: start,
      writeAt: start,
      sees: { until: start, from: start, to: end },
      adapted: false,
      wanted: tokens.map((_, i) => wanted.includes(start + i)),
    }
  }
}
