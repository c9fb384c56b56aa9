import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export const SQLITE_FORMAT = 1

/**
 * `words` holds terms only (no content): `all`, `title`, and `marks` with the filters as terms. The `ascii` tokenizer parts at
 * white space alone once every printable character is a token character, so `c++` and `node.js` stay whole, as the analysis left them.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS things (key INTEGER PRIMARY KEY, owner INTEGER NOT NULL, time INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS things_by_owner ON things (owner);
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
  "all", title, marks, content='', contentless_delete=1,
  tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_\`{|}~'''"
);`

export function openFile(folder: string, readOnly: boolean): DatabaseSync {
  if (!readOnly) mkdirSync(folder, { recursive: true })
  const file = new DatabaseSync(join(folder, 'words.db'), { readOnly, timeout: 10_000 })
  if (!readOnly) {
    file.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;')
    file.exec(SCHEMA)
  }
  file.exec('PRAGMA cache_size = -65536; PRAGMA mmap_size = 268435456;')
  return file
}

/** Filters stand in a column of terms: what a site, a language or a file type is called there. */
export const markOf = {
  site: (host: string): string => `s:${host}`,
  language: (language: string): string => `l:${language}`,
  fileType: (type: string): string => `t:${type}`,
  adult: 'adult',
  thing: 'thing',
}
