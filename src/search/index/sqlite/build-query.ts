import type { IndexFilter, IndexQuery, Match } from '../search-index.ts'
import { markOf } from './schema.ts'

/** bm25() counts only in the columns asked: the title is asked with `all`, which holds its words too. */
const COLUMNS = { all: '{"all" title}', title: 'title' } as const

/** The text of an FTS5 MATCH; every term stands in quotes, so nothing a user wrote is read as a command. */
export function buildMatch(query: IndexQuery): string {
  const parts = [renderMatch(query.match), ...renderFilter(query.filter)]
  const excluded = [...query.without.map((match) => renderMatch(match)), ...renderExcluded(query.filter)]
  const wanted = parts.map((part) => `(${part})`).join(' AND ')
  return excluded.length === 0 ? wanted : `(${wanted}) NOT (${excluded.join(' OR ')})`
}

/** One term in `all`. */
export function buildTermMatch(term: string): string {
  return `"all" : ${quote(term)}`
}

function renderMatch(match: Match): string {
  if (match.kind === 'anything') return inMarks([markOf.thing])
  if (match.kind === 'term') return `${COLUMNS[match.field]} : ${quote(match.term)}`
  if (match.kind === 'phrase') {
    return `${COLUMNS[match.field]} : (${match.terms.map((term) => quote(term)).join(' + ')})`
  }
  if (match.of.length === 0) return inMarks([''])
  const parts = match.of.map((part) => `(${renderMatch(part)})`)
  return parts.join(match.kind === 'every' ? ' AND ' : ' OR ')
}

function renderFilter(filter: IndexFilter): string[] {
  const parts: string[] = []
  if (filter.sitesAny !== undefined) parts.push(inMarks(filter.sitesAny.map((site) => markOf.site(site))))
  if (filter.languages !== undefined) parts.push(inMarks(filter.languages.map((code) => markOf.language(code))))
  if (filter.fileTypes !== undefined) parts.push(inMarks(filter.fileTypes.map((type) => markOf.fileType(type))))
  if (filter.adult === true) parts.push(inMarks([markOf.adult]))
  return parts
}

function renderExcluded(filter: IndexFilter): string[] {
  const marks = (filter.sitesNone ?? []).map((site) => markOf.site(site))
  if (filter.adult === false) marks.push(markOf.adult)
  return marks.length === 0 ? [] : [inMarks(marks)]
}

function inMarks(marks: string[]): string {
  return `marks : (${(marks.length === 0 ? ['none of them'] : marks).map((mark) => quote(mark)).join(' OR ')})`
}

/** An empty string in quotes is no term to FTS5: a term that no text holds stands for it. */
function quote(term: string): string {
  return term === '' ? '"\u0001"' : `"${term.replaceAll('"', '""')}"`
}
