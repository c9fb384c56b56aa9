import { DatabaseSync } from 'node:sqlite'

/**
 * `frontier.db`. `runs` and `queue`: the work of each crawl. `pages`: what we know of a URL over all crawls. `hosts`,
 * `robots`: what politeness needs to survive a restart. States of `queue`: see frontier.ts. Times are epoch ms.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS runs (
  id INTEGER PRIMARY KEY, job TEXT NOT NULL, state TEXT NOT NULL, started_at INTEGER NOT NULL, ended_at INTEGER,
  kept INTEGER NOT NULL DEFAULT 0, fetched INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0,
  scopes TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE TABLE IF NOT EXISTS queue (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, url TEXT NOT NULL, host TEXT NOT NULL, kind TEXT NOT NULL,
  state TEXT NOT NULL, priority INTEGER NOT NULL, depth INTEGER NOT NULL, redirects INTEGER NOT NULL, tries INTEGER NOT NULL,
  pattern INTEGER NOT NULL, hints TEXT, UNIQUE (run, url)
) STRICT;
CREATE INDEX IF NOT EXISTS queue_next ON queue (run, state, host, priority DESC, id);
CREATE INDEX IF NOT EXISTS queue_pattern ON queue (pattern, state);
CREATE TABLE IF NOT EXISTS patterns (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, pattern TEXT NOT NULL, queued INTEGER NOT NULL DEFAULT 0,
  dull INTEGER NOT NULL DEFAULT 0, last TEXT, UNIQUE (run, pattern)
) STRICT;
CREATE TABLE IF NOT EXISTS pages (
  url TEXT PRIMARY KEY, first_seen_at INTEGER NOT NULL, fetched_at INTEGER, status INTEGER, etag TEXT,
  last_modified TEXT, digest TEXT, file TEXT, offset INTEGER, stored_at INTEGER, private INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hosts (
  host TEXT PRIMARY KEY, next_at INTEGER NOT NULL, failures INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS robots (
  origin TEXT PRIMARY KEY, verdict TEXT NOT NULL, body BLOB, expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

export function openFrontierFile(path: string): DatabaseSync {
  const db = new DatabaseSync(path)
  // NORMAL in WAL mode: a kill loses nothing, a power cut at most the last moments, which are then crawled again.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;')
  db.exec(SCHEMA)
  return db
}
