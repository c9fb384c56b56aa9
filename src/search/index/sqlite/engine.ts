import type { IndexEngine } from '../search-index.ts'
import { SqliteReader } from './reader.ts'
import { SqliteWriter } from './writer.ts'

/** SQLite's FTS5: there is no platform without it. Good to about 100,000 pages. */
export const sqliteEngine: IndexEngine = {
  name: 'sqlite',
  openWriter: (folder) => new SqliteWriter(folder),
  openReader: (folder) => new SqliteReader(folder),
}
