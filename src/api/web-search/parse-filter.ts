import type { SearchRequest } from '../../search/search.ts'
import { notAllowed } from '../read-field.ts'
import { FILTERS } from './schema.ts'

const ALLOWED = 'some of webPages, images, videos with commas between, or each with a minus to leave it out'

/** `responseFilter`. Names alone choose; a minus leaves out of what is chosen, or of all three. */
export function parseFilter(value: unknown): SearchRequest['wants'] {
  if (value === undefined || value === null) return { pages: true, images: true, videos: true }
  const parts: unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value]
  const names = parts.map((part) => (typeof part === 'string' ? part.trim() : '')).filter((name) => name !== '')
  const chosen = new Set<string>(names.filter((name) => !name.startsWith('-')))
  const left = new Set(names.filter((name) => name.startsWith('-')).map((name) => name.slice(1)))
  const unknown = [...chosen, ...left].some((name) => !FILTERS.some((filter) => filter === name))
  if (unknown || names.length === 0) throw notAllowed('responseFilter', value, ALLOWED)
  const wants = (name: (typeof FILTERS)[number]): boolean => (chosen.size === 0 || chosen.has(name)) && !left.has(name)
  return { pages: wants('webPages'), images: wants('images'), videos: wants('videos') }
}
