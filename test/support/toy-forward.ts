/**
 * A forward in plain TypeScript for tests of decoding: two "layers" of hashes instead of floats. It honours spans and cells as a
 * real one does: a cell's second key depends on every first key its row saw, so a stale, foreign or unwritten cell changes
 * (or, unwritten, stops) the reply. A row's result depends on nothing else in the call.
 */
import assert from 'node:assert/strict'
import type { Candidates, Forward, Lease, Span, Work } from '../../src/engine/model/forward.ts'
import type { ModelSpec } from '../../src/engine/model/spec.ts'

export type ToyOptions = {
  cells?: number
  /** Share of places where the likeliest token can be told without context: what a window guesses right. */
  easy?: number
  /** One end of turn in about so many places. */
  endEvery?: number
  /** Called before each compute; what it returns is awaited. */
  before?: (works: readonly Work[]) => Promise<void> | void
}

type Cell = { first: number; second: number }

export class ToyForward implements Forward {
  readonly cellsTotal: number
  readonly #spec: ModelSpec
  readonly #options: ToyOptions
  readonly #cells: (Cell | undefined)[]
  readonly #leases = new Map<number, { start: number; cells: number }>()
  #nextId = 1
  /** Calls and rows computed, for tests that count. */
  calls = 0
  rows = 0

  constructor(spec: ModelSpec, options: ToyOptions = {}) {
    this.#spec = spec
    this.#options = options
    this.cellsTotal = options.cells ?? 4096
    this.#cells = Array.from({ length: this.cellsTotal }, () => undefined)
  }

  get cellsFree(): number {
    return this.cellsTotal - [...this.#leases.values()].reduce((sum, lease) => sum + lease.cells, 0)
  }

  lease(cells: number): Lease | undefined {
    const size = Math.ceil(cells / 32) * 32
    const start = this.#findRun(size, [])
    if (start === undefined) return undefined
    const id = this.#nextId++
    this.#leases.set(id, { start, cells: size })
    return { id, cells: size }
  }

  fits(cells: number, without: readonly Lease[]): boolean {
    return this.#findRun(Math.ceil(cells / 32) * 32, without) !== undefined
  }

  #findRun(size: number, without: readonly Lease[]): number | undefined {
    const held = [...this.#leases].filter(([id]) => !without.some((lease) => lease.id === id)).map(([, run]) => run)
    let start = 0
    for (const taken of held.sort((a, b) => a.start - b.start)) {
      if (taken.start - start >= size) break
      start = taken.start + taken.cells
    }
    return start + size > this.cellsTotal ? undefined : start
  }

  release(lease: Lease): void {
    const { start, cells } = this.#place(lease)
    this.#cells.fill(undefined, start, start + cells)
    this.#leases.delete(lease.id)
  }

  copy(from: Lease, to: Lease, count: number): void {
    const source = this.#place(from)
    const target = this.#place(to)
    assert(count <= source.cells && count <= target.cells)
    for (let i = 0; i < count; i++) this.#cells[target.start + i] = this.#cells[source.start + i]
  }

  async compute(works: readonly Work[]): Promise<Candidates[][]> {
    await this.#options.before?.(works)
    this.calls++
    assert.equal(new Set(works.map((work) => work.lease.id)).size, works.length, 'a lease stands twice in one call')
    return works.map((work) => this.#computeWork(work))
  }

  close(): void {
    this.#leases.clear()
  }

  #place(lease: Lease): { start: number; cells: number } {
    const place = this.#leases.get(lease.id)
    assert(place, `lease ${lease.id} is not held`)
    return place
  }

  #computeWork(work: Work): Candidates[] {
    const { start, cells } = this.#place(work.lease)
    const rows = work.spans.flatMap((span) => this.#rowsOf(span, cells))
    this.rows += rows.length
    assert.equal(new Set(rows.map((row) => row.cell)).size, rows.length, 'two rows of one work write one cell')
    for (const row of rows) {
      this.#cells[start + row.cell] = {
        first: mix(mix(row.token, row.position * 2 + (row.adapted ? 1 : 0)), 77),
        second: NaN,
      }
    }
    for (const row of rows) {
      const cell = this.#cells[start + row.cell]
      assert(cell)
      cell.second = mix(this.#look(start, row, 'first'), 77)
    }
    return rows.filter((row) => row.wanted).map((row) => this.#predict(row, this.#look(start, row, 'second')))
  }

  #rowsOf(span: Span, cells: number): Row[] {
    assert(span.tokens.length > 0 && span.wanted.length === span.tokens.length, 'a span without rows')
    assert(span.writeAt >= 0 && span.writeAt + span.tokens.length <= cells, 'a span writes outside its lease')
    if (span.sees === 'causal') assert.equal(span.writeAt, span.position)
    return span.tokens.map((token, i) => {
      assert(Number.isInteger(token) && token >= 0 && token < this.#spec.vocabulary, `token ${token}`)
      const cell = span.writeAt + i
      const sees = span.sees === 'causal' ? { until: cell + 1, from: 0, to: 0 } : span.sees
      assert(sees.to <= cells && sees.until <= cells)
      assert(span.position + i < this.#spec.contextTokens, 'a position outside the context')
      return { token, position: span.position + i, cell, sees, adapted: span.adapted, wanted: span.wanted[i] ?? false }
    })
  }

  /** Sum over the seen cells: their order does not matter, as in attention. */
  #look(start: number, row: Row, layer: 'first' | 'second'): number {
    let sum = 0
    const add = (from: number, to: number): void => {
      for (let cell = from; cell < to; cell++) {
        const seen = this.#cells[start + cell]
        if (seen === undefined) assert.fail(`row at position ${row.position} looks at cell ${cell}, which nobody wrote`)
        sum = (sum + seen[layer]) | 0
      }
    }
    add(0, row.sees.until)
    add(Math.max(row.sees.from, row.sees.until), row.sees.to)
    return mix(sum, mix(row.token, row.position))
  }

  /** Distribution for the place the row speaks of: a part that place alone tells, a part that the context tells. */
  #predict(row: Row, state: number): Candidates {
    const { vocabulary, bannedTokens, endTokens, shift } = this.#spec
    const place = row.position + (shift ? 1 : 0)
    const hint = mix(place, 4242)
    const isEasy = (hint >>> 0) / 2 ** 32 < (this.#options.easy ?? 0.6)
    const logits = Float64Array.from({ length: vocabulary }, (_, id) => ((mix(state, id) >>> 0) / 2 ** 32) * 2)
    add(logits, (hint >>> 8) % vocabulary, isEasy ? 6 : 2)
    add(logits, (state >>> 8) % vocabulary, isEasy ? 2 : 5)
    for (const id of endTokens) add(logits, id, (mix(state, 9) >>> 0) % (this.#options.endEvery ?? 60) === 0 ? 20 : -9)
    for (const id of bannedTokens) logits[id] = -Infinity
    return rank(logits)
  }
}

type Row = {
  token: number
  position: number
  cell: number
  sees: { until: number; from: number; to: number }
  adapted: boolean
  wanted: boolean
}

function add(logits: Float64Array, id: number, amount: number): void {
  logits[id] = (logits[id] ?? 0) + amount
}

function rank(logits: Float64Array): Candidates {
  const top = Math.max(...logits)
  const weights = Array.from(logits, (logit) => Math.exp(logit - top))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const order = weights.map((weight, id) => ({ id, p: Math.fround(weight / total) })).filter(({ p }) => p > 0)
  order.sort((a, b) => b.p - a.p || a.id - b.id)
  const best = order.slice(0, 64)
  return { ids: Int32Array.from(best, ({ id }) => id), probabilities: Float32Array.from(best, ({ p }) => p) }
}

/** A 32-bit mixing of two numbers (MurmurHash3's finalizer). */
function mix(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b | 0, 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** A small model of each form: token 0 is the mask, 1 and 2 are banned roles, 3 ends a turn. */
export function toySpec(attention: ModelSpec['attention'], over: Partial<ModelSpec> = {}): ModelSpec {
  return {
    architecture: 'toy',
    attention,
    shift: attention === 'causal-context',
    blockSize: 4,
    layers: 2,
    width: 8,
    heads: 1,
    kvHeads: 1,
    headWidth: 8,
    feedForward: 8,
    vocabulary: 24,
    contextTokens: 256,
    normEpsilon: 1e-5,
    rope: { theta: 10_000, dimensions: 8, style: 'neighbours' },
    qkNorm: false,
    tied: true,
    router: undefined,
    adapterRank: 0,
    maskToken: 0,
    endTokens: [3],
    bannedTokens: [0, 1, 2],
    ...over,
  }
}
