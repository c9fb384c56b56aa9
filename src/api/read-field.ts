import { ApiError } from './errors.ts'

/** Readers of single fields: undefined where the field is absent or null, an ApiError 400 where it is not as it must be. */

export type Fields = Readonly<Record<string, unknown>>

/** The parts of a TypeBox number that the readers look at. */
export type Range = { type: 'integer' | 'number'; minimum: number; maximum: number }

/** 400 that names the field, its value and what is allowed. */
export function notAllowed(param: string, value: unknown, allowed: string): ApiError {
  const text =
    value === undefined
      ? `${param} is missing; needed: ${allowed}.`
      : `${param} is ${show(value)}; allowed: ${allowed}.`
  return new ApiError('invalid_request', { param, text })
}

export function readRange(fields: Fields, param: string, range: Range): number | undefined {
  const value = fields[param] ?? undefined
  if (value === undefined) return undefined
  const fits = typeof value === 'number' && (range.type === 'number' || Number.isInteger(value))
  if (fits && value >= range.minimum && value <= range.maximum) return value
  const kind = range.type === 'integer' ? 'an integer' : 'a number'
  throw notAllowed(param, value, `${kind} from ${range.minimum} to ${range.maximum}`)
}

export function readBoolean(fields: Fields, param: string, name = param): boolean | undefined {
  const value = fields[param] ?? undefined
  if (value === undefined || typeof value === 'boolean') return value
  throw notAllowed(name, value, 'true or false')
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value in a sentence: short, on one line, and never the inside of something deep. */
function show(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  // JSON.stringify would call Infinity (1e999 in a body) null.
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value)
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`
}
