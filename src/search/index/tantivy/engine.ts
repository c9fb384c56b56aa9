import type { IndexEngine } from '../search-index.ts'
import { findBinding } from './binding.ts'
import { TantivyReader } from './reader.ts'
import { TantivyWriter } from './writer.ts'

/** Undefined where this platform has no binary of Tantivy. */
export function findTantivyEngine(): IndexEngine | undefined {
  const binding = findBinding()
  if (binding === undefined) return undefined
  return {
    name: 'tantivy',
    openWriter: (folder) => new TantivyWriter(binding, folder),
    openReader: (folder) => new TantivyReader(binding, folder),
  }
}
