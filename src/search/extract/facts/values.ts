import { textValue } from './linked-data.ts'

/** A positive whole number, of `640`, `"640"`, `"640px"`, `"1,234"`; what is a percentage is none. */
export function wholeNumber(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : textValue(value)
  const match = /^\s*(\d{1,3}(?:,\d{3})+|\d{1,10})(?:\.\d+)?\s*(?:px)?\s*$/.exec(text ?? '')
  const found = match === null ? Number.NaN : Number(match[1]?.replaceAll(',', ''))
  return found > 0 ? found : undefined
}

/** The object without its undefined members: what is not known is left out. */
export function defined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
