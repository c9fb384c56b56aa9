import type { IndexEngine } from './search-index.ts'
import { SQLITE_FORMAT } from './sqlite/schema.ts'
import { sqliteEngine } from './sqlite/engine.ts'
import { findTantivyEngine } from './tantivy/engine.ts'
import { TANTIVY_FORMAT } from './tantivy/schema.ts'

export type EngineChoice = 'auto' | 'tantivy' | 'sqlite'

/** Tantivy where its binary is, otherwise SQLite. Throws if Tantivy was asked for by name and is not there. */
export function openEngine(choice: EngineChoice): IndexEngine {
  if (choice === 'sqlite') return sqliteEngine
  const tantivy = findTantivyEngine()
  if (tantivy !== undefined) return tantivy
  if (choice === 'tantivy') {
    throw new Error(
      'the index engine "tantivy" has no binary for this platform; set search.engine to "auto" or "sqlite"',
    )
  }
  return sqliteEngine
}

/** What a generation on disk was written with: another engine or format cannot read it. */
export function formatOf(engine: IndexEngine): string {
  return `${engine.name}-${engine.name === 'tantivy' ? TANTIVY_FORMAT : SQLITE_FORMAT}`
}
