import { VERTICALS, type IndexEngine, type IndexWriter, type Vertical } from '../index/search-index.ts'
import type { ThingDocs } from './to-index-docs.ts'

/** Untouched verticals write the watermark too after so many commits, so that a restart has little to do again. */
const SKIPPED_COMMITS_MAX = 20

type Half = { writer: IndexWriter; dirty: boolean; skipped: number }

/** The three indexes of one generation, written together. */
export class VerticalWriters {
  readonly #halves: Map<Vertical, Half>

  constructor(engine: IndexEngine, folders: [Vertical, string][]) {
    this.#halves = new Map(
      folders.map(([vertical, folder]) => [vertical, { writer: engine.openWriter(folder), dirty: false, skipped: 0 }]),
    )
  }

  /** All changes up to here are in every vertical. */
  committedWatermark(): number {
    return Math.min(...[...this.#halves.values()].map(({ writer }) => writer.committedWatermark()))
  }

  /** Everything of these pages is replaced. A vertical that only lost things is committed with the next watermark. */
  apply(pages: { id: number; docs: ThingDocs }[]): void {
    for (const vertical of VERTICALS) {
      const half = this.#halves.get(vertical)
      if (half === undefined) continue
      const docs = pages.flatMap((page) => page.docs[vertical])
      half.writer.apply({ replaced: pages.map((page) => page.id), docs })
      half.dirty ||= docs.length > 0 || vertical === 'web'
    }
  }

  commit(watermark: number, all: boolean): void {
    for (const half of this.#halves.values()) {
      if (!half.dirty && !all && ++half.skipped < SKIPPED_COMMITS_MAX) continue
      half.writer.commit(watermark)
      half.dirty = false
      half.skipped = 0
    }
  }

  close(): void {
    for (const { writer } of this.#halves.values()) writer.close()
  }
}
