import type { Belief } from '../denoise/belief.ts'
import { deferEqualNeighbours, dropEarlyEnds } from '../denoise/guards.ts'
import type { Candidates, Span } from '../model/forward.ts'
import { drawToken } from '../sample.ts'
import type { Mark, Outcome, Sequence, SetupWithRule } from '../sequence.ts'
import { PROMPT_ONLY, Reply } from './reply.ts'
import { WindowPace } from './window-pace.ts'

/**
 * Causal context with a sliding window. `#tokens` is all that is known without a gap: prompt, confirmed tokens and, under
 * `verified`, drafts that wait to be checked. Cells [0, #cached) are exact. One forward runs the pending tokens
 * #cached … s causally, and a window of rows s … s + W − 1: row 0 is token s once more, the others masks or kept draws.
 * The row at place i predicts place i + 1. Window keys go to cells s + 1 …, because causal row s keeps cell s.
 */
export class CausalContext implements Sequence {
  readonly #setup: SetupWithRule
  readonly #reply: Reply
  readonly #tokens: number[]
  /** Draws kept by rule `threshold` for places s + 1 …, the mask where none is kept. */
  #kept: number[]
  #cached: number
  /** Undefined where the window never rests. */
  readonly #pace: WindowPace | undefined
  #planned: { causal: number; window: number } = { causal: 0, window: 0 }

  constructor(setup: SetupWithRule) {
    this.#setup = setup
    this.#reply = new Reply(setup.tokensMax, setup.spec.endTokens)
    this.#tokens = [...setup.prompt]
    this.#cached = setup.reused
    this.#kept = this.#masks()
    const { rule, paced } = setup.decoding
    this.#pace = rule === 'verified' && paced === true ? new WindowPace() : undefined
  }

  get promptRows(): number {
    return Math.max(0, this.#setup.prompt.length - this.#cached)
  }

  exactTokens(): number[] {
    return this.#tokens.slice(0, this.#cached)
  }

  plan(rowsMax: number, others = 0): Span[] {
    if (this.#pace !== undefined) this.#pace.others = others
    const pending = this.#tokens.length - this.#cached
    const cut = this.promptRows > rowsMax
    const causal = cut ? rowsMax : pending
    this.#planned = { causal, window: cut ? 0 : this.#windowWidth() }
    const rows = this.#causalRows(causal, cut)
    return this.#planned.window === 0 ? [rows] : [rows, this.#windowRows(this.#planned.window)]
  }

  settle(rows: readonly Candidates[]): Outcome {
    const { causal, window } = this.#planned
    if (causal < this.#tokens.length - this.#cached) {
      this.#cached += causal
      return PROMPT_ONLY
    }
    const outcome = this.#trusts && window > 0 ? this.#slide(rows, window) : this.#check(rows, window)
    this.#pace?.record(outcome.confirmed.length)
    return outcome
  }

  /** Rule `threshold` believes the window; the others only what a causal row has drawn. */
  get #trusts(): boolean {
    return this.#setup.decoding.rule === 'threshold'
  }

  #causalRows(count: number, cut: boolean): Span {
    const tokens = this.#tokens.slice(this.#cached, this.#cached + count)
    const s = this.#tokens.length - 1
    const wants = (place: number): boolean => {
      if (cut) return false
      if (this.#trusts) return place === s && !this.#keepsAny()
      return place >= this.#setup.prompt.length - 1
    }
    return {
      tokens,
      position: this.#cached,
      writeAt: this.#cached,
      sees: 'causal',
      adapted: false,
      wanted: tokens.map((_, i) => wants(this.#cached + i)),
    }
  }

  #windowRows(width: number): Span {
    const s = this.#tokens.length - 1
    const mask = this.#setup.spec.maskToken
    return {
      tokens: [this.#tokens[s] ?? mask, ...this.#kept.slice(0, width - 1)],
      position: s,
      writeAt: s + 1,
      sees: { until: s, from: s + 1, to: s + 1 + width },
      adapted: true,
      // Row 0 speaks of s + 1, which the last causal row knows better, unless something to its right is known.
      wanted: Array.from({ length: width }, (_, j) => (j === 0 ? this.#keepsAny() : (this.#kept[j] ?? mask) === mask)),
    }
  }

  /** Rows worth computing; 0 where a window of one row or a reply's last token leaves nothing to guess. */
  #windowWidth(): number {
    const { decoding, prompt, tokensMax, spec } = this.#setup
    const s = this.#tokens.length - 1
    if (decoding.rule === 'sequential' || this.#pace?.rests === true) return 0
    // A verified draft at the last place or behind it would never be looked at; a trusted window only ends with the context.
    const room = this.#trusts ? spec.contextTokens - s : prompt.length + tokensMax - 2 - s
    const width = Math.min(decoding.window, room)
    return width < 2 ? 0 : width
  }

  #keepsAny(): boolean {
    return this.#kept.some((token) => token !== this.#setup.spec.maskToken)
  }

  #masks(): number[] {
    return Array.from({ length: Math.max(0, this.#setup.decoding.window - 1) }, () => this.#setup.spec.maskToken)
  }

  #draw(row: Candidates | undefined, place: number): Belief {
    if (row === undefined) throw new Error(`the forward has no candidates for place ${place}`)
    return { position: place, ...drawToken(row, place, this.#setup.sampling) }
  }

  #mark(belief: Belief): Mark {
    return {
      position: belief.position - this.#setup.prompt.length,
      token: belief.token,
      probability: belief.confidence,
    }
  }

  /** `sequential` and `verified`: each pending draft stands only if the causal row before it draws the same token. */
  #check(rows: readonly Candidates[], window: number): Outcome {
    const length = this.#setup.prompt.length
    const known = this.#tokens.length
    const first = Math.max(this.#cached + 1, length)
    const confirmed: number[] = []
    for (let place = first; place <= known; place++) {
      const drawn = this.#draw(rows[place - first], place)
      confirmed.push(drawn.token)
      if (place === known || this.#tokens[place] === drawn.token) {
        if (place < known) continue
        return this.#extend(drawn, confirmed, rows.slice(known - first + 1), window)
      }
      // Refused: what stands behind it was guessed from it, and so was this forward's window.
      const takenBack = Array.from({ length: known - place }, (_, i) => place + i - length)
      this.#tokens.splice(place, Infinity, drawn.token)
      this.#cached = place
      return {
        denoised: true,
        set: [this.#mark(drawn)],
        takenBack,
        masked: takenBack.slice(1),
        ...this.#reply.take(confirmed),
      }
    }
    throw new Error('a causal forward without a wanted row')
  }

  /** All pending tokens stand: the new one is known, and the window's run becomes the next forward's drafts. */
  #extend(drawn: Belief, confirmed: number[], rows: readonly Candidates[], window: number): Outcome {
    const s = this.#tokens.length - 1
    const open = rows.map((row, i) => this.#draw(row, s + 2 + i))
    const run = this.#setup.rule.choose(open, { ...this.#setup.decoding, masksAtStart: open.length, step: 0 })
    const end = run.findIndex((belief) => this.#reply.endTokens.has(belief.token))
    // An end of turn need not be computed: the causal row before it draws it, or does not.
    const drafts =
      this.#reply.endTokens.has(drawn.token) || window === 0 ? [] : run.slice(0, end === -1 ? run.length : end)
    this.#cached = this.#tokens.length
    this.#tokens.push(drawn.token, ...drafts.map((belief) => belief.token))
    const set = [drawn, ...drafts].map((belief) => this.#mark(belief))
    const masked = open.slice(drafts.length).map((belief) => this.#mark(belief).position)
    return { denoised: true, set, takenBack: [], masked, ...this.#reply.take(confirmed) }
  }

  /** `threshold`: sure draws are final anywhere in the window; its contiguous beginning becomes known and the window slides. */
  #slide(rows: readonly Candidates[], window: number): Outcome {
    const { decoding, spec } = this.#setup
    const s = this.#tokens.length - 1
    const places = Array.from({ length: window }, (_, i) => this.#kept[i] ?? spec.maskToken)
    const open = places.flatMap((token, i) => (token === spec.maskToken ? [s + 1 + i] : []))
    const draws = open.map((place, i) => this.#draw(rows[i], place))
    const chosen = this.#choose(draws, new Set(places.flatMap((t, i) => (t === spec.maskToken ? [] : [s + 1 + i]))))
    for (const belief of chosen) places[belief.position - s - 1] = belief.token
    const gap = places.indexOf(spec.maskToken)
    const whole = gap === -1 ? places : places.slice(0, gap)
    this.#cached = this.#tokens.length
    this.#tokens.push(...whole)
    this.#kept = [...places.slice(whole.length), ...this.#masks()].slice(0, Math.max(0, decoding.window - 1))
    const set = chosen.map((belief) => this.#mark(draws.find((draw) => draw.position === belief.position) ?? belief))
    const masked = places.flatMap((t, i) => (t === spec.maskToken ? [s + 1 + i - this.#setup.prompt.length] : []))
    return { denoised: true, set, takenBack: [], masked, ...this.#reply.take(whole) }
  }

  /** The first open place is always final: it comes from a row that knows all before it. */
  #choose(draws: readonly Belief[], known: ReadonlySet<number>): Belief[] {
    const { rule, decoding } = this.#setup
    const beliefs = draws.map((draw, i) => (i === 0 ? { ...draw, confidence: 1 } : draw))
    const sure = rule.choose(beliefs, { ...decoding, masksAtStart: beliefs.length, step: 0 })
    const apart = rule.guardsNeighbours ? deferEqualNeighbours(sure, this.#reply.endTokens) : sure
    return dropEarlyEnds(apart, this.#reply.endTokens, draws[0]?.position ?? 0, known)
  }
}
