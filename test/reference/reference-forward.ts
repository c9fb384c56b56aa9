/**
 * The forward once more, in float64 and from the papers' formulas: no batching, no fusing, no tiling, one row after the
 * other. Keys and values are kept by cell as float64, so cached steps of it differ from uncached ones by nothing.
 */
import type { Candidates, Forward, Lease, Span, Work } from '../../src/engine/model/forward.ts'
import { plus, rmsNorm, rowOf, silu, softMax, times, type Matrix, type ReferenceModel } from './reference-model.ts'

type Cell = { key: Float64Array; value: Float64Array }
type Row = { x: Float64Array; span: Span; place: number }

export class ReferenceForward implements Forward {
  readonly cellsFree = Infinity
  readonly cellsTotal = Infinity
  readonly #model: ReferenceModel
  /** For each lease, for each layer, by cell. */
  readonly #stored = new Map<number, Map<number, Cell>[]>()
  #nextId = 1

  constructor(model: ReferenceModel) {
    this.#model = model
  }

  lease(cells: number): Lease {
    const id = this.#nextId++
    const layers = Array.from({ length: this.#model.spec.layers }, () => new Map<number, Cell>())
    this.#stored.set(id, layers)
    return { id, cells }
  }

  fits(): boolean {
    return true
  }

  release(lease: Lease): void {
    this.#stored.delete(lease.id)
  }

  copy(from: Lease, to: Lease, count: number): void {
    for (const [layer, cells] of this.#layersOf(from).entries()) {
      for (const [place, cell] of cells) if (place < count) this.#layersOf(to)[layer]?.set(place, cell)
    }
  }

  close(): void {
    this.#stored.clear()
  }

  async compute(works: readonly Work[]): Promise<Candidates[][]> {
    return works.map((work) => this.#computeOne(work))
  }

  #layersOf(lease: Lease): Map<number, Cell>[] {
    const layers = this.#stored.get(lease.id)
    if (layers === undefined) throw new Error(`lease ${lease.id} is not held`)
    return layers
  }

  #computeOne({ lease, spans }: Work): Candidates[] {
    const { spec } = this.#model
    const rows = spans.flatMap((span) => span.tokens.map((_, place) => ({ x: this.#embed(span, place), span, place })))
    for (const [layer, cells] of this.#layersOf(lease).entries()) {
      const attended = this.#attend(rows, layer, cells)
      for (const [i, row] of rows.entries()) {
        row.x = plus(row.x, attended[i] ?? new Float64Array())
        const normed = rmsNorm(row.x, this.#get(layer, 'ffn_norm'), spec.normEpsilon)
        row.x = plus(row.x, this.#feedForward(normed, layer, row.span.adapted))
      }
    }
    return rows.filter(({ span, place }) => span.wanted[place]).map(({ x }) => this.#predict(x))
  }

  #get(layer: number, name: string): Matrix {
    return this.#model.get(`blk.${layer}.${name}`)
  }

  #embed(span: Span, place: number): Float64Array {
    const token = span.tokens[place] ?? 0
    const learnt = this.#model.find('mask_embd')
    if (learnt !== undefined && span.adapted && token === this.#model.spec.maskToken) return rowOf(learnt, 0)
    return rowOf(this.#model.get('token_embd'), token)
  }

  #attend(rows: readonly Row[], layer: number, cells: Map<number, Cell>): Float64Array[] {
    const { spec } = this.#model
    const queries: Float64Array[] = []
    for (const { x, span, place } of rows) {
      const normed = rmsNorm(x, this.#get(layer, 'attn_norm'), spec.normEpsilon)
      const part = (name: string, from: number): Float64Array => {
        const matrix = this.#get(layer, `attn_${name}`)
        const plain = times(matrix, normed)
        return span.adapted ? plus(plain, this.#adapt(layer, 'attn_qkv', normed, from, matrix.to)) : plain
      }
      const [wide, narrow] = [spec.heads * spec.headWidth, spec.kvHeads * spec.headWidth]
      const position = span.position + place
      queries.push(this.#turn(part('q', 0), layer, 'q', position))
      const key = this.#turn(part('k', wide), layer, 'k', position)
      cells.set(span.writeAt + place, { key, value: part('v', wide + narrow) })
    }
    return rows.map(({ span, place }, i) => {
      const seen = seenCells(span, place).map((cell) => {
        const found = cells.get(cell)
        if (found === undefined) throw new Error(`cell ${cell} is seen, but was never written`)
        return found
      })
      const looked = this.#look(queries[i] ?? new Float64Array(), seen)
      const plain = times(this.#get(layer, 'attn_output'), looked)
      return span.adapted ? plus(plain, this.#adapt(layer, 'attn_output', looked, 0, plain.length)) : plain
    })
  }

  /** B·(A·x), rows `from` to `from + count`; nothing where the model has no adapters. */
  #adapt(layer: number, name: string, x: Float64Array, from: number, count: number): Float64Array {
    const a = this.#model.find(`blk.${layer}.${name}.adapter_a`)
    const b = this.#model.find(`blk.${layer}.${name}.adapter_b`)
    return a === undefined || b === undefined ? new Float64Array(count) : times(b, times(a, x), from, count)
  }

  /** Per-head norm where the model has one, then the rotation (RoFormer, equation 34). */
  #turn(x: Float64Array, layer: number, name: string, position: number): Float64Array {
    const { spec } = this.#model
    const norm = this.#model.find(`blk.${layer}.attn_${name}_norm`)
    const out = new Float64Array(x.length)
    const { dimensions, theta, style } = spec.rope
    for (let from = 0; from < x.length; from += spec.headWidth) {
      const head = x.slice(from, from + spec.headWidth)
      const normed = norm === undefined ? head : rmsNorm(head, norm, spec.normEpsilon)
      out.set(normed, from)
      for (let i = 0; i < dimensions / 2; i++) {
        const [one, two] = style === 'neighbours' ? [2 * i, 2 * i + 1] : [i, i + dimensions / 2]
        const angle = position * theta ** ((-2 * i) / dimensions)
        const [a, b] = [normed[one] ?? 0, normed[two] ?? 0]
        out[from + one] = a * Math.cos(angle) - b * Math.sin(angle)
        out[from + two] = a * Math.sin(angle) + b * Math.cos(angle)
      }
    }
    return out
  }

  #look(query: Float64Array, seen: readonly Cell[]): Float64Array {
    const { heads, kvHeads, headWidth } = this.#model.spec
    const out = new Float64Array(heads * headWidth)
    for (let head = 0; head < heads; head++) {
      const [own, shared] = [head * headWidth, Math.floor((head * kvHeads) / heads) * headWidth]
      const scores = Float64Array.from(seen, ({ key }) => {
        let sum = 0
        for (let i = 0; i < headWidth; i++) sum += (query[own + i] ?? 0) * (key[shared + i] ?? 0)
        return sum / Math.sqrt(headWidth)
      })
      for (const [cell, share] of softMax(scores).entries()) {
        const value = seen[cell]?.value
        for (let i = 0; i < headWidth; i++) out[own + i] = (out[own + i] ?? 0) + share * (value?.[shared + i] ?? 0)
      }
    }
    return out
  }

  #feedForward(x: Float64Array, layer: number, adapted: boolean): Float64Array {
    const { spec } = this.#model
    let y: Float64Array = new Float64Array(spec.width)
    if (spec.feedForward > 0) {
      const part = (name: string, from: number): Float64Array => {
        const plain = times(this.#get(layer, name), x)
        return adapted ? plus(plain, this.#adapt(layer, 'ffn_gate_up', x, from, spec.feedForward)) : plain
      }
      const up = part('ffn_up', spec.feedForward)
      const hidden = part('ffn_gate', 0).map((value, i) => silu(value) * (up[i] ?? 0))
      y = times(this.#get(layer, 'ffn_down'), hidden)
      if (adapted) y = plus(y, this.#adapt(layer, 'ffn_down', hidden, 0, spec.width))
    }
    return spec.router === undefined ? y : plus(y, this.#routed(x, layer, spec.router))
  }

  #routed(x: Float64Array, layer: number, router: NonNullable<ReferenceModel['spec']['router']>): Float64Array {
    const { width } = this.#model.spec
    const likely = softMax(times(this.#get(layer, 'ffn_gate_inp'), x))
    const chosen = [...likely.keys()].sort((a, b) => (likely[b] ?? 0) - (likely[a] ?? 0)).slice(0, router.used)
    const total = router.renormalise ? chosen.reduce((sum, expert) => sum + (likely[expert] ?? 0), 0) : 1
    let y: Float64Array = new Float64Array(width)
    for (const expert of chosen) {
      const gate = times(this.#get(layer, 'ffn_gate_exps'), x, expert * router.width, router.width)
      const up = times(this.#get(layer, 'ffn_up_exps'), x, expert * router.width, router.width)
      const hidden = gate.map((value, i) => silu(value) * (up[i] ?? 0))
      const share = ((likely[expert] ?? 0) / total) * router.scale
      y = plus(
        y,
        times(this.#get(layer, 'ffn_down_exps'), hidden, expert * width, width).map((value) => value * share),
      )
    }
    return y
  }

  #predict(x: Float64Array): Candidates {
    const { spec } = this.#model
    const head = this.#model.get(spec.tied ? 'token_embd' : 'output')
    const logits = times(head, rmsNorm(x, this.#model.get('output_norm'), spec.normEpsilon))
    for (const token of spec.bannedTokens) logits[token] = -Infinity
    const likely = softMax(logits)
    const order = [...likely.keys()].sort((a, b) => (likely[b] ?? 0) - (likely[a] ?? 0) || a - b).slice(0, 64)
    return {
      ids: Int32Array.from(order),
      probabilities: Float32Array.from(order, (id) => likely[id] ?? 0),
      logits: Float32Array.from(logits),
    }
  }
}

function seenCells({ sees, writeAt }: Span, place: number): number[] {
  if (sees === 'causal') return Array.from({ length: writeAt + place + 1 }, (_, cell) => cell)
  const first = Array.from({ length: sees.until }, (_, cell) => cell)
  const second = Array.from({ length: sees.to - sees.from }, (_, i) => sees.from + i)
  return [...first, ...second.filter((cell) => cell >= sees.until)]
}
