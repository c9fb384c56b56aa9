import { readClock } from './clock.ts'
import type { Span } from '../../src/engine/model/forward.ts'
import type { GgmlForward } from '../../src/engine/model/ggml-forward.ts'
import type { ProductsAlone } from './products.ts'
import { median } from '../figures.ts'

/** Tokens in the cache before the rows that are measured. */
export const CONTEXT = 256

export type Timed = {
  /** Of a forward: median and best of the rounds. */
  ms: number
  bestMs: number
  /** The products alone, median, and what share of the whole forward they are. */
  productsMs: number
  share: number
}

/** Forwards of the same rows and their products alone, by turns. */
export async function measureForward(
  forward: GgmlForward,
  products: ProductsAlone,
  { spans, runs }: { spans: readonly Span[]; runs: number },
): Promise<Timed> {
  const count = (of: (span: Span) => number) => spans.reduce((sum, span) => sum + of(span), 0)
  const rows = {
    all: count(({ tokens }) => tokens.length),
    adapted: count(({ adapted, tokens }) => (adapted ? tokens.length : 0)),
    wanted: count(({ wanted }) => wanted.filter(Boolean).length),
  }
  const lease = forward.lease(CONTEXT + rows.all + 32)
  if (lease === undefined) throw new Error('the cache is too small for the bench')
  await forward.compute([{ lease, spans: blockRows(CONTEXT, 0) }])
  const times: { ms: number; productsMs: number }[] = []
  for (let run = -1; run < runs; run++) {
    const start = readClock(forward.threads)
    await forward.compute([{ lease, spans: [...spans] }])
    const ms = readClock(forward.threads) - start
    const productsMs = await products.measure(rows, forward.threads)
    // The first finds the caches cold.
    if (run >= 0) times.push({ ms, productsMs })
  }
  forward.release(lease)
  const bestMs = Math.min(...times.map((time) => time.ms))
  return {
    ms: median(times.map((time) => time.ms)),
    bestMs,
    productsMs: median(times.map((time) => time.productsMs)),
    share: median(times.map((time) => time.productsMs / time.ms)),
  }
}

/** A causal row, and a window of the others: a step of a causal-context model under `verified`, which asks nothing of the window's first. */
export function stepRows(rows: number, maskToken: number): Span[] {
  const [causal] = blockRows(1)
  const window = rows - 1
  if (causal === undefined || window === 0) return causal === undefined ? [] : [causal]
  const tokens = Array.from({ length: window }, (_, i) => (i === 0 ? 1000 : maskToken))
  const sees = { until: CONTEXT, from: CONTEXT + 1, to: CONTEXT + 1 + window }
  const wanted = tokens.map((_, i) => i > 0)
  return [causal, { tokens, position: CONTEXT, writeAt: CONTEXT + 1, sees, adapted: true, wanted }]
}

/** A prompt's rows, causal; the last one is wanted. */
export function blockRows(count: number, from = CONTEXT): Span[] {
  const tokens = Array.from({ length: count }, (_, i) => 100 + i)
  const wanted = tokens.map((_, i) => i === count - 1)
  return [{ tokens, position: from, writeAt: from, sees: 'causal', adapted: false, wanted }]
}

/** A block that sees itself and all before it, every prediction wanted: a step of a bidirectional model. */
export function maskedBlock(count: number, maskToken: number): Span[] {
  const sees = { until: CONTEXT + count, from: 0, to: 0 }
  const tokens = Array.from({ length: count }, () => maskToken)
  return [{ tokens, position: CONTEXT, writeAt: CONTEXT, sees, adapted: false, wanted: tokens.map(() => true) }]
}
