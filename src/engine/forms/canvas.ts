import type { Belief } from '../denoise/belief.ts'
import { deferEqualNeighbours } from '../denoise/guards.ts'
import type { Candidates } from '../model/forward.ts'
import { drawToken } from '../sample.ts'
import type { Outcome, SetupWithRule } from '../sequence.ts'
import { Reply } from './reply.ts'

/**
 * The tokens of a block form: prompt, then set tokens and masks, and one block that is being denoised. Positions at or
 * behind the reply's limit stay masked: nobody will read them.
 */
export class Canvas {
  readonly tokens: number[]
  readonly #setup: SetupWithRule
  readonly #reply: Reply
  readonly #limit: number
  #start = 0
  #end = 0
  #masksAtStart = 0
  #step = 0
  /** First position that was not yet handed out as confirmed. */
  #shown: number

  constructor(setup: SetupWithRule) {
    this.#setup = setup
    this.#reply = new Reply(setup.tokensMax, setup.spec.endTokens)
    this.#limit = setup.prompt.length + setup.tokensMax
    this.#shown = setup.prompt.length
    this.tokens = [...setup.prompt]
  }

  get start(): number {
    return this.#start
  }

  get end(): number {
    return this.#end
  }

  /** True before the first step of the current block. */
  get fresh(): boolean {
    return this.#step === 0
  }

  /** Masks up to `end`. */
  growTo(end: number): void {
    while (this.tokens.length < end) this.tokens.push(this.#setup.spec.maskToken)
  }

  /** Makes [start, end) the block that is denoised next. */
  begin(start: number, end: number): void {
    this.growTo(end)
    this.#start = start
    this.#end = end
    this.#step = 0
    this.#masksAtStart = this.open().length
  }

  /** Positions of the block that are still to be set. */
  open(): number[] {
    const open: number[] = []
    for (let position = this.#start; position < Math.min(this.#end, this.#limit); position++) {
      if (this.tokens[position] === this.#setup.spec.maskToken) open.push(position)
    }
    return open
  }

  /** One step: `find` gives the candidates of an open position. Every step sets at least one, so a block always ends. */
  settle(find: (position: number) => Candidates | undefined): Outcome {
    const beliefs = this.open().map((position) => this.#draw(find(position), position))
    const chosen = this.#choose(beliefs)
    if (chosen.length === 0) throw new Error(`rule ${this.#setup.decoding.rule} set nothing in a step`)
    for (const belief of chosen) this.tokens[belief.position] = belief.token
    this.#step++
    return {
      denoised: true,
      set: chosen.map((b) => ({
        position: b.position - this.#setup.prompt.length,
        token: b.token,
        probability: b.confidence,
      })),
      takenBack: [],
      masked: this.open().map((position) => position - this.#setup.prompt.length),
      ...this.#reply.take(this.#newlyWhole()),
    }
  }

  #draw(row: Candidates | undefined, position: number): Belief {
    if (row === undefined) throw new Error(`the forward has no candidates for position ${position}`)
    return { position, ...drawToken(row, position, this.#setup.sampling) }
  }

  #choose(beliefs: readonly Belief[]): Belief[] {
    const { rule, decoding } = this.#setup
    const chosen = rule.choose(beliefs, { ...decoding, masksAtStart: this.#masksAtStart, step: this.#step })
    return rule.guardsNeighbours ? deferEqualNeighbours(chosen, this.#reply.endTokens) : chosen
  }

  /** An end of turn counts, and text is shown, only where no mask stands before it. */
  #newlyWhole(): number[] {
    const from = this.#shown
    while (this.#shown < this.tokens.length && this.tokens[this.#shown] !== this.#setup.spec.maskToken) this.#shown++
    return this.tokens.slice(from, this.#shown)
  }
}
