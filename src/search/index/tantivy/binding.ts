import { createRequire } from 'node:module'

/**
 * The calls of the Tantivy binding that are used here, declared by us: its platform package brings no types. Every call is
 * synchronous; errors are thrown. Unsigned numbers are cut to 32
 * bits without a word. Times go in as unsigned numbers: the binding's dates are seconds one way and milliseconds the other.
 */

const PACKAGE = '@oxdev03/node-tantivy-binding-linux-x64-gnu'

export type Schema = { readonly brand?: 'schema' }
export type Query = { readonly brand?: 'query' }
export type Address = { segmentOrd: number; doc: number }

type NumericOptions = { stored: boolean; indexed: boolean; fast: boolean }
type TextOptions = {
  stored: boolean
  fast?: boolean
  tokenizerName: string
  indexOption: 'basic' | 'freq' | 'position'
}

export interface Document {
  addText(field: string, text: string): void
  addUnsigned(field: string, value: number): void
  getFirst(field: string): unknown
}

export interface Searcher {
  /** With `orderByField` a hit carries `order` (the field's value) instead of `score`. Ascending order spoils the values: use `DESCENDING`. */
  search(
    query: Query,
    limit: number,
    count: boolean,
    orderByField?: string,
    offset?: number,
    order?: number,
  ): { hits: { score?: number; order?: number; docAddress: Address }[]; count?: number }
  doc(address: Address): Document
  docFreq(field: string, value: unknown): number
  readonly numDocs: number
  readonly numSegments: number
}

export interface Writer {
  addDocument(document: Document): bigint
  deleteDocumentsByTerm(field: string, value: unknown): bigint
  commit(): bigint
  waitMergingThreads(): void
}

export interface Index {
  /** An analyser is known to an open index only, never to its folder: register it at every open. */
  registerTokenizer(name: string, analyser: object): void
  writer(heapBytes: number, threads: number): Writer
  configReader(reloadPolicy: 'manual' | 'commit', warmers?: number): void
  reload(): void
  searcher(): Searcher
}

export interface Binding {
  SchemaBuilder: new () => {
    addTextField(name: string, options: TextOptions): unknown
    addUnsignedField(name: string, options: NumericOptions): unknown
    build(): Schema
  }
  Index: new (schema: Schema, folder: string, reuse: boolean) => Index
  Document: new () => Document
  TextAnalyzerBuilder: new (tokenizer: object) => { build(): object }
  TokenizerStatic: { whitespace(): object }
  Query: {
    termQuery(schema: Schema, field: string, value: unknown, option?: 'basic' | 'freq' | 'position'): Query
    termSetQuery(schema: Schema, field: string, values: unknown[]): Query
    phraseQuery(schema: Schema, field: string, terms: string[], slop?: number): Query
    booleanQuery(parts: { occur: number; query: Query }[]): Query
    disjunctionMaxQuery(parts: Query[], tieBreaker?: number): Query
    boostQuery(query: Query, boost: number): Query
    constScoreQuery(query: Query, score: number): Query
    rangeQuery(schema: Schema, field: string, type: number, from: number, to: number): Query
  }
}

export const MUST = 0
export const SHOULD = 1
export const MUST_NOT = 2
export const UNSIGNED = 1

/** Undefined where the platform has no binary, or the binary cannot be loaded. */
export function findBinding(): Binding | undefined {
  try {
    return createRequire(import.meta.url)(PACKAGE) as Binding
  } catch {
    return undefined
  }
}
