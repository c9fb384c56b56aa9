import { KEY_MAX, scoringTerms, type IndexFilter, type IndexQuery, type Match } from '../search-index.ts'
import { MUST, MUST_NOT, SHOULD, UNSIGNED, type Binding, type Query, type Schema } from './binding.ts'
import { ADULT, THING } from './schema.ts'

type Clause = { occur: number; query: Query }

/** Our query as Tantivy's objects; its own query parser never sees what a user wrote. */
export function buildQuery(binding: Binding, schema: Schema, query: IndexQuery): Query {
  const make = new QueryMaker(binding, schema)
  const clauses: Clause[] = [{ occur: MUST, query: make.match(query.match) }]
  if (query.titleWeight > 0) {
    for (const term of scoringTerms(query.match)) {
      const title = binding.Query.termQuery(schema, 'title', term, 'freq')
      clauses.push({ occur: SHOULD, query: binding.Query.boostQuery(title, query.titleWeight) })
    }
  }
  for (const { term, weight } of query.helping ?? []) {
    const helping = binding.Query.termQuery(schema, 'all', term, 'freq')
    clauses.push({ occur: SHOULD, query: binding.Query.boostQuery(helping, weight) })
  }
  for (const without of query.without) clauses.push({ occur: MUST_NOT, query: make.match(without) })
  clauses.push(...make.filter(query.filter))
  return binding.Query.booleanQuery(clauses)
}

class QueryMaker {
  readonly #binding: Binding
  readonly #schema: Schema

  constructor(binding: Binding, schema: Schema) {
    this.#binding = binding
    this.#schema = schema
  }

  match(match: Match): Query {
    const { Query } = this.#binding
    if (match.kind === 'term') return Query.termQuery(this.#schema, match.field, match.term, 'freq')
    if (match.kind === 'phrase') return this.#phrase(match.field, match.terms)
    if (match.kind === 'anything') return this.#silent(Query.termQuery(this.#schema, 'mark', THING, 'basic'))
    if (match.of.length === 0) return Query.termQuery(this.#schema, 'mark', '', 'basic')
    const parts = match.of.map((part) => this.match(part))
    if (match.kind === 'best') return Query.disjunctionMaxQuery(parts)
    const occur = match.kind === 'every' ? MUST : SHOULD
    return Query.booleanQuery(parts.map((part) => ({ occur, query: part })))
  }

  /** A phrase of one term is that term: the binding refuses it as a phrase. */
  #phrase(field: 'all' | 'title', terms: string[]): Query {
    const [first = ''] = terms
    return terms.length < 2
      ? this.#binding.Query.termQuery(this.#schema, field, first, 'freq')
      : this.#binding.Query.phraseQuery(this.#schema, field, terms)
  }

  filter(filter: IndexFilter): Clause[] {
    const clauses: Clause[] = []
    const need = (query: Query): void => void clauses.push({ occur: MUST, query: this.#silent(query) })
    if (filter.sitesAny !== undefined) need(this.#anyOf('sites', filter.sitesAny))
    if (filter.languages !== undefined) need(this.#anyOf('language', filter.languages))
    if (filter.fileTypes !== undefined) need(this.#anyOf('type', filter.fileTypes))
    if (filter.from !== undefined || filter.to !== undefined) {
      const [from, to] = [Math.max(0, filter.from ?? 0), Math.min(filter.to ?? KEY_MAX, KEY_MAX)]
      need(
        to < from ? this.#anyOf('mark', []) : this.#binding.Query.rangeQuery(this.#schema, 'time', UNSIGNED, from, to),
      )
    }
    if (filter.adult === true) need(this.#anyOf('mark', [ADULT]))
    if (filter.adult === false) clauses.push({ occur: MUST_NOT, query: this.#anyOf('mark', [ADULT]) })
    if (filter.sitesNone !== undefined && filter.sitesNone.length > 0) {
      clauses.push({ occur: MUST_NOT, query: this.#anyOf('sites', filter.sitesNone) })
    }
    return clauses
  }

  #anyOf(field: string, values: string[]): Query {
    return this.#binding.Query.termSetQuery(this.#schema, field, values.length === 0 ? [''] : values)
  }

  /** Matches without a word in the score. */
  #silent(query: Query): Query {
    return this.#binding.Query.constScoreQuery(query, 0)
  }
}
