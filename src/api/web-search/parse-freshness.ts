import type { Freshness } from '../../search/search.ts'
import { notAllowed } from '../read-field.ts'
import { SPANS } from './schema.ts'

const DAY_MS = 86_400_000
/** The contract's calendar days are those of UTC+8. */
const ZONE_MS = 8 * 3_600_000
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/
const ALLOWED = 'noLimit, oneDay, oneWeek, oneMonth, oneYear, YYYY-MM-DD or YYYY-MM-DD..YYYY-MM-DD'

/** The seven forms of `freshness` as a span of time; undefined: no limit. Throws ApiError 400 for anything else. */
export function parseFreshness(value: unknown, now: number): Freshness | undefined {
  if (value === undefined || value === null || value === 'noLimit') return undefined
  if (typeof value !== 'string') throw notAllowed('freshness', value, ALLOWED)
  if (Object.hasOwn(SPANS, value)) return { from: now - SPANS[value as keyof typeof SPANS] * DAY_MS, to: now }
  const [first = '', last = first, ...more] = value.split('..')
  const from = startOfDay(first)
  const to = startOfDay(last)
  if (from === undefined || to === undefined || more.length > 0) throw notAllowed('freshness', value, ALLOWED)
  if (from > to) throw notAllowed('freshness', value, 'a range whose first day is not after its last')
  return { from, to: to + DAY_MS - 1 }
}

/** Midnight UTC+8 of a day that the calendar has, else undefined. */
function startOfDay(text: string): number | undefined {
  const [, year, month, day] = DAY.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined) return undefined
  const at = Date.parse(`${text}T00:00:00Z`)
  // Date.parse takes 31 April for 1 May in some engines: what comes back must be what went in.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text) return undefined
  return at - ZONE_MS
}
