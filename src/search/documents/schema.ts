import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const FORMAT = 1

/** The key of an image or video is its page's id times this, and its place on the page. */
export const THINGS_PER_PAGE = 64

/**
 * `seq` rises with every change of any row and is the outbox: who has seen everything up to a number asks for the rows above it, and a
 * row that changed twice is met once, in its newest form. A removed page stays as a row without content, so that its removal is met too.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hosts (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, authority REAL NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS pages (
  id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL UNIQUE, host INTEGER NOT NULL,
  removed INTEGER NOT NULL, hidden INTEGER NOT NULL, private INTEGER NOT NULL,
  fetched_at INTEGER NOT NULL, first_seen_at INTEGER NOT NULL,
  published_at INTEGER, published_day INTEGER, published_confidence REAL,
  language TEXT, page_type TEXT NOT NULL, content_type TEXT NOT NULL, title TEXT NOT NULL, site_name TEXT, icon_url TEXT,
  canonical_url TEXT, adult REAL NOT NULL, simhash_high INTEGER NOT NULL, simhash_low INTEGER NOT NULL,
  copy_file TEXT, copy_offset INTEGER
);
CREATE INDEX IF NOT EXISTS pages_by_canonical ON pages (canonical_url) WHERE canonical_url IS NOT NULL;
CREATE INDEX IF NOT EXISTS private_pages ON pages (id) WHERE private = 1 AND removed = 0;
CREATE TABLE IF NOT EXISTS contents (id INTEGER PRIMARY KEY, body BLOB NOT NULL, links BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS images (key INTEGER PRIMARY KEY, url TEXT NOT NULL, record TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS videos (key INTEGER PRIMARY KEY, url TEXT NOT NULL, record TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS graph (id INTEGER PRIMARY KEY, authority REAL NOT NULL, anchors TEXT NOT NULL);
`

/** Throws if the file is of a newer format than this program knows. */
export function openDocumentsFile(path: string, readOnly: boolean): DatabaseSync {
  if (!readOnly) mkdirSync(dirname(path), { recursive: true })
  const file = new DatabaseSync(path, { readOnly, timeout: 30_000 })
  if (!readOnly) {
    file.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;')
    file.exec(SCHEMA)
    file.prepare("INSERT OR IGNORE INTO meta (name, value) VALUES ('format', ?), ('seq', 0)").run(FORMAT)
  }
  file.exec('PRAGMA cache_size = -32768; PRAGMA mmap_size = 1073741824;')
  const format = Number(file.prepare("SELECT value FROM meta WHERE name = 'format'").get()?.['value'])
  if (format === FORMAT) return file
  file.close()
  throw new Error(`${path} has format ${format}; this program reads ${FORMAT}. Use the program that wrote it.`)
}
