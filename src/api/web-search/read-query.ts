import { notAllowed, type Fields } from '../read-field.ts'

/** Parameters that are not texts in the JSON form. */
const INTEGERS = new Set(['count', 'offset', 'page'])
const BOOLEANS = new Set(['summary'])

/**
 * The parameters of a query string as the fields of the JSON form. A name that comes twice is a list; an empty value is as if
 * absent, because forms send those, save an empty `query`, which says so itself. Bytes that are no UTF-8 are refused.
 */
export function readQuery(query: string): Fields {
  const found = new Map<string, unknown[]>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decode(at === -1 ? pair : pair.slice(0, at), 'the query string')
    const text = at === -1 ? '' : decode(pair.slice(at + 1), name)
    if (text !== '' || name === 'query') found.set(name, [...(found.get(name) ?? []), typed(name, text)])
  }
  return Object.fromEntries([...found].map(([name, values]) => [name, values.length === 1 ? values[0] : values]))
}

function decode(text: string, name: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw notAllowed(name, text, 'UTF-8, percent-encoded')
  }
}

/** What is no number or boolean stays a text, which the parser then refuses by name. */
function typed(name: string, text: string): unknown {
  if (INTEGERS.has(name) && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (BOOLEANS.has(name) && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
