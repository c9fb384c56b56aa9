import assert from 'node:assert/strict'
import type { Span, Work } from './forward.ts'
import type { ModelSpec } from './spec.ts'

/** Beyond it a 32-bit float no longer tells positions apart. */
const POSITION_MAX = 2 ** 24

/**
 * Throws an assertion on anything that ggml would answer by ending the process, or that would make a row depend on
 * chance: ids, cells and positions out of range, two rows in one cell, rows that see nothing.
 */
export function checkWorks(works: readonly Work[], spec: ModelSpec): void {
  assert(works.length > 0, 'a forward needs a work')
  const leases = new Set(works.map((work) => work.lease.id))
  assert(leases.size === works.length, 'a lease takes part in a forward once')
  for (const { lease, spans } of works) {
    assert(spans.length > 0, 'a work needs a span')
    for (const span of spans) checkSpan(span, lease.cells, spec.vocabulary)
    const byCell = spans.toSorted((a, b) => a.writeAt - b.writeAt)
    for (const [i, span] of byCell.entries()) {
      const next = byCell[i + 1]
      const end = span.writeAt + span.tokens.length
      assert(next === undefined || next.writeAt >= end, `two spans write cell ${next?.writeAt}`)
    }
  }
}

function checkSpan(span: Span, cells: number, vocabulary: number): void {
  const { tokens, position, writeAt, sees, wanted } = span
  assert(tokens.length > 0, 'a span needs a token')
  assert(wanted.length === tokens.length, `${wanted.length} wishes for ${tokens.length} rows`)
  for (const token of tokens) assert(isCount(token, vocabulary - 1), `token ${token} is outside ${vocabulary}`)
  assert(isCount(position, POSITION_MAX - tokens.length), `position ${position} is out of range`)
  assert(isCount(writeAt, cells - tokens.length), `${tokens.length} rows at cell ${writeAt} leave a lease of ${cells}`)
  if (sees === 'causal') {
    assert(writeAt === position, `a causal row at position ${position} cannot stand in cell ${writeAt}`)
    return
  }
  const { until, from, to } = sees
  assert(
    isCount(until, cells) && isCount(to, cells) && isCount(from, to),
    `cells ${until}, ${from} to ${to} of ${cells}`,
  )
  // The kernel would count a cell of both twice, ggml's mask once.
  assert(until <= from || from === to, `cells below ${until} and ${from} to ${to} overlap`)
  assert(until > 0 || to > from, 'a row must see a cell')
}

function isCount(value: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= max
}
