import assert from 'node:assert/strict'
import { Arena } from '../ggml/arena.ts'
import { KEY_BLOCK } from '../ggml/attend-op.ts'
import type { Tensor } from '../ggml/handles.ts'
import type { Ggml } from '../ggml/load.ts'
import type { Lease } from './forward.ts'
import type { ModelSpec } from './spec.ts'

/**
 * Runs begin and end at multiples of this: the kernel's keys lie in such blocks. ggml's products over cells are cut there too; a masked rest
 * adds exact zeros, so a row's bits do not depend on the cut.
 */
const CELLS_STEP = KEY_BLOCK

export type CacheType = 'BF16' | 'F32'
type Run = { start: number; cells: number }
/** Where the numbers of a feature lie: over all cells, as ggml wants them, or over a block of cells, as the kernel does. */
export type FeatureOrder = 'whole' | 'blocks'
export type CacheLayer = { byCell: Tensor; byFeature: Tensor }
type LayerBytes = { byCell: Uint8Array; byFeature: Uint8Array }

/**
 * Keys and values of all sequences of one model: a pool of cells, handed out as runs whose start and length are
 * multiples of `CELLS_STEP`. Cells that a computation reads hold finite numbers (`prepare`), or a masked one would spoil the row that skips it.
 */
export class KvCache {
  readonly cells: number
  readonly type: CacheType
  readonly order: FeatureOrder
  /** Bytes of one number. */
  readonly numberBytes: number
  /** Numbers of a cell, keys only. */
  readonly width: number
  /**
   * For each layer as many numbers twice: cell after cell [width, cells], and by feature. ggml wants keys in the first and
   * values in the second, the kernel the other way round.
   */
  readonly layers: readonly CacheLayer[]
  private readonly arena: Arena
  private readonly bytes: readonly LayerBytes[]
  private readonly leases = new Map<number, Run>()
  private nextId = 1
  /** For each block of `CELLS_STEP` cells 1 once it holds numbers. Clearing all at the start would cost seconds, and memory that may never be used. */
  private readonly prepared: Uint8Array

  constructor(ggml: Ggml, spec: ModelSpec, options: { cells: number; type: CacheType; order: FeatureOrder }) {
    this.cells = roundUp(options.cells)
    this.type = options.type
    this.order = options.order
    this.numberBytes = options.type === 'F32' ? 4 : 2
    this.width = spec.kvHeads * spec.headWidth
    // Places in it are 32-bit numbers.
    assert(this.cells * this.width < 2 ** 31, `a cache of ${this.cells} cells is too large for this model`)
    this.prepared = new Uint8Array(this.cells / CELLS_STEP)
    this.arena = new Arena(ggml, spec.layers * 2)
    this.layers = Array.from({ length: spec.layers }, () => ({
      byCell: this.arena.declare(this.type, [this.width, this.cells]),
      byFeature: this.arena.declare(this.type, [this.cells, this.width]),
    }))
    this.arena.allocate('raw')
    this.bytes = this.layers.map(({ byCell, byFeature }) => ({
      byCell: this.arena.bytes(byCell),
      byFeature: this.arena.bytes(byFeature),
    }))
  }

  get cellsFree(): number {
    return this.cells - this.leases.values().reduce((sum, run) => sum + run.cells, 0)
  }

  /** Bytes held. */
  get size(): number {
    return this.arena.size
  }

  /** The first run that is long enough, or undefined. */
  lease(cells: number): Lease | undefined {
    assert(Number.isSafeInteger(cells) && cells > 0, `${cells} cells cannot be leased`)
    const wanted = roundUp(cells)
    const start = this.findRun(wanted)
    if (start === undefined) return undefined
    const id = this.nextId++
    this.leases.set(id, { start, cells: wanted })
    return { id, cells: wanted }
  }

  /** Whether `lease` would find a run, were these given back. */
  fits(cells: number, without: readonly Lease[]): boolean {
    return this.findRun(roundUp(cells), new Set(without.map(({ id }) => id))) !== undefined
  }

  release(lease: Lease): void {
    assert(this.leases.delete(lease.id), `lease ${lease.id} is not held`)
  }

  /** The first cell of a lease that is held. */
  startOf(lease: Lease): number {
    return this.runOf(lease).start
  }

  /** Gives the first `count` cells of a lease numbers, and those of the block that they end in; needed before a computation that reads or writes them. */
  prepare(lease: Lease, count: number): void {
    const { start, cells } = this.runOf(lease)
    assert(count <= cells, `${count} cells are more than the lease has`)
    for (let cell = start; cell < start + count; cell += CELLS_STEP) {
      if (this.prepared[cell / CELLS_STEP] === 1) continue
      this.eachRun(cell, CELLS_STEP, (bytes, from, to) => bytes.fill(0, from, to))
      this.prepared[cell / CELLS_STEP] = 1
    }
  }

  /** Copies the first `count` cells to the same places of another lease. */
  copy(from: Lease, to: Lease, count: number): void {
    const source = this.runOf(from)
    const target = this.runOf(to)
    const fits = Number.isSafeInteger(count) && count >= 0 && count <= source.cells && count <= target.cells
    assert(fits, `${count} cells do not fit from ${source.cells} into ${target.cells}`)
    this.prepare(to, count)
    this.eachRun(source.start, count, (bytes, start, end, step) => {
      bytes.copyWithin(start + (target.start - source.start) * step, start, end)
    })
  }

  /** Forgets what stands in a lease: needed after a computation that left something other than numbers in it. */
  clear(lease: Lease): void {
    const { start, cells } = this.runOf(lease)
    this.prepared.fill(0, start / CELLS_STEP, (start + cells) / CELLS_STEP)
  }

  dispose(): void {
    this.arena.dispose()
  }

  /** Where the first run of so many cells begins that nobody holds but for these leases. */
  private findRun(cells: number, without: ReadonlySet<number> = new Set()): number | undefined {
    const held = [...this.leases].filter(([id]) => !without.has(id)).map(([, run]) => run)
    let start = 0
    for (const run of held.sort((a, b) => a.start - b.start)) {
      if (run.start - start >= cells) break
      start = run.start + run.cells
    }
    return this.cells - start < cells ? undefined : start
  }

  private runOf(lease: Lease): Run {
    const run = this.leases.get(lease.id)
    assert(run !== undefined, `lease ${lease.id} is not held`)
    return run
  }

  /** Visits the bytes of `count` cells wherever they are: one stretch, and one for each feature. */
  private eachRun(
    cell: number,
    count: number,
    visit: (bytes: Uint8Array, start: number, end: number, cellBytes: number) => void,
  ): void {
    const size = this.numberBytes
    const cellBytes = size * this.width
    for (const { byCell, byFeature } of this.bytes) {
      visit(byCell, cell * cellBytes, (cell + count) * cellBytes, cellBytes)
      if (this.order === 'blocks') {
        // Whole blocks: nobody else's cells are in them, since runs begin and end where blocks do.
        visit(byFeature, cell * cellBytes, roundUp(cell + count) * cellBytes, cellBytes)
        continue
      }
      for (let feature = 0; feature < this.width; feature++) {
        const row = feature * this.cells
        visit(byFeature, (row + cell) * size, (row + cell + count) * size, size)
      }
    }
  }
}

/** To a whole number of steps. */
export function roundUp(cells: number): number {
  return Math.ceil(cells / CELLS_STEP) * CELLS_STEP
}
