import type { Binding, Index, Schema } from './binding.ts'

/** Raised when a field changes: a generation with another number is built anew. */
export const TANTIVY_FORMAT = 1

/** The mark of things that can be found, and of the one document that carries the watermark. */
export const THING = 'thing'
export const WATERMARK = 'watermark'
export const ADULT = 'adult'

const TERMS = 'terms'

/** `key` is stored and fast: it is all that a hit gives back. The watermark is text in `note`, for
 * it may pass 2^32. `mark` tells things, the watermark and adult things apart. */
export function buildSchema(binding: Binding): Schema {
  const builder = new binding.SchemaBuilder()
  builder.addUnsignedField('key', { stored: true, indexed: true, fast: true })
  builder.addUnsignedField('owner', { stored: false, indexed: true, fast: false })
  builder.addUnsignedField('time', { stored: false, indexed: true, fast: true })
  builder.addTextField('all', { stored: false, tokenizerName: TERMS, indexOption: 'position' })
  builder.addTextField('title', { stored: false, tokenizerName: TERMS, indexOption: 'position' })
  builder.addTextField('note', { stored: true, tokenizerName: 'raw', indexOption: 'basic' })
  for (const name of ['sites', 'language', 'type', 'mark']) {
    builder.addTextField(name, { stored: false, tokenizerName: 'raw', indexOption: 'basic' })
  }
  return builder.build()
}

/** Opens or makes the index in `folder`. The terms are parted by spaces already, so every engine sees the same ones. */
export function openIndex(binding: Binding, schema: Schema, folder: string): Index {
  const index = new binding.Index(schema, folder, true)
  index.registerTokenizer(TERMS, new binding.TextAnalyzerBuilder(binding.TokenizerStatic.whitespace()).build())
  return index
}
