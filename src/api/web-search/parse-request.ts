import type { SearchRequest } from '../../search/search.ts'
import { notAllowed, readBoolean, readRange, type Fields } from '../read-field.ts'
import { parseDomains } from './parse-domains.ts'
import { parseFilter } from './parse-filter.ts'
import { parseFreshness } from './parse-freshness.ts'
import { fields, QUERY_CHARACTERS_MAX } from './schema.ts'

export type SearchRules = {
  /** What `offset` counts: results, as the contract's table has it, or pages, as some clients read it. */
  offsetUnit: 'result' | 'page'
  deadlineMs: number
  /** Epoch ms. */
  now: number
}

/** C0 controls but tab, line feed and carriage return; DEL. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/** A search behind the parser: wire names end here. Throws an ApiError 400 that names field, value and what is allowed. */
export function parseSearchRequest(wire: Fields, rules: SearchRules): SearchRequest {
  const count = readRange(wire, 'count', fields.count) ?? fields.count.default
  const freshness = parseFreshness(wire['freshness'], rules.now)
  return {
    query: parseQuery(wire['query'] ?? undefined),
    count,
    offset: parseOffset(wire, count, rules),
    ...(freshness === undefined ? {} : { freshness }),
    include: parseDomains('include', wire['include']),
    exclude: parseDomains('exclude', wire['exclude']),
    wants: parseFilter(wire['responseFilter']),
    withoutSummary: readBoolean(wire, 'summary') === false,
    deadlineAt: rules.now + rules.deadlineMs,
  }
}

function parseQuery(value: unknown): string {
  const allowed = `a text of 1 to ${QUERY_CHARACTERS_MAX} characters that is not blank`
  if (typeof value !== 'string' || value.trim() === '') throw notAllowed('query', value, allowed)
  // Counted as people count, not in UTF-16 halves; the first comparison keeps a huge text from being spread out.
  const tooLong = value.length > 2 * QUERY_CHARACTERS_MAX || [...value].length > QUERY_CHARACTERS_MAX
  if (tooLong) throw notAllowed('query', value, allowed)
  if (CONTROL.test(value) || !value.isWellFormed()) {
    throw notAllowed('query', value, `${allowed}, without control characters and lone surrogates`)
  }
  return value
}

function parseOffset(wire: Fields, count: number, { offsetUnit }: SearchRules): number {
  const offset = readRange(wire, 'offset', fields.offset)
  const page = readRange(wire, 'page', fields.page)
  if (offset !== undefined && page !== undefined) {
    throw notAllowed('page', page, 'left out beside offset: only one of the two')
  }
  if (page !== undefined) return (page - 1) * count
  // Clients that count pages begin with 1, and send nothing (0) for the first as well.
  return offsetUnit === 'page' ? Math.max(0, (offset ?? 0) - 1) * count : (offset ?? fields.offset.default)
}
