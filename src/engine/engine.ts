import type { Clock } from '../lib/clock.ts'
import type { Batch, Scheduler } from './scheduler.ts'

export type Parts = {
  scheduler: Scheduler
  clock: Clock
  /** Resolves when there may be work again. */
  rest(): Promise<void>
  /** Told before a batch is computed: if the process dies now, it died under these. */
  began(batch: Batch): void
  /**
   * Told at the end of each step: all its events go out at once here. `ms`: what the forward alone took, without what is made of
   * its rows; undefined where it failed.
   */
  told(batch: Batch, ms: number | undefined): void
}

/** The loop: pick, compute, settle, tell. One forward at a time, all running requests of a model in it. */
export async function runEngine(parts: Parts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const batch = parts.scheduler.pick()
    if (batch === undefined) {
      await parts.rest()
      continue
    }
    parts.began(batch)
    const startedAt = parts.clock.monotonicMs()
    let ms: number | undefined
    try {
      const rows = await batch.room.forward.compute(batch.works)
      ms = parts.clock.monotonicMs() - startedAt
      parts.scheduler.settle(batch, rows, ms)
    } catch (error) {
      parts.scheduler.fail(batch, error instanceof Error ? error.message : String(error))
    }
    parts.told(batch, ms)
  }
}
