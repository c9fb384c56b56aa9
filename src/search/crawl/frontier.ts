import { openFrontierFile } from './frontier-schema.ts'
import { SiteMemory } from './site-memory.ts'
import { type Row, Statements } from './statements.ts'
import { patternOf } from './traps.ts'

type ItemKind = 'page' | 'sitemap' | 'feed'

/**
 * `waiting` → `taken` → one of the others. `taken` becomes `waiting` again when the run is gone on with: what was in
 * flight at a crash is asked once more, nothing else.
 */
export type ItemEnd =
  | 'kept'
  | 'done'
  | 'noindex'
  | 'redirected'
  | 'no_page'
  | 'failed'
  | 'disallowed'
  | 'trap'
  | 'given_up'

export type NewItem = {
  url: string
  kind: ItemKind
  priority: number
  depth: number
  redirects: number
  hints?: string
}
export type Item = NewItem & { id: number; host: string; tries: number; pattern: number }

export type RunTotals = { kept: number; fetched: number; bytes: number }

/** A pattern's pages beyond this many go behind others: the more of them wait, the further. */
const PATTERN_FREE = 50
const DEMOTION = 3
const DEMOTION_MAX = 30
const RETRY_DEMOTION = 200
const CRASHES_MAX = 3
const UNFINISHED_KEPT_MS = 30 * 86_400_000
/** Pages of one pattern, one after the other, that all say the same: the pattern is a trap. */
const DULL_MAX = 20

/** The crawl's memory: one SQLite file that survives kill -9. Every method is one transaction. */
export class Frontier {
  readonly sites: SiteMemory
  readonly #db: Statements

  constructor(path: string) {
    this.#db = new Statements(openFrontierFile(path))
    this.sites = new SiteMemory(this.#db)
  }

  /** Goes on with an unfinished run of the same job, or begins one. `job` is the job's own text. */
  beginRun(job: string, now: number): { id: number; resumed: boolean } {
    const open = this.#db.get(`SELECT id FROM runs WHERE job = ? AND state = 'running' ORDER BY id DESC LIMIT 1`, job)
    if (open !== undefined) {
      // A page that ends the process each time it is read must not do so for ever.
      const sql = `UPDATE queue SET state = iif(tries < ?, 'waiting', 'failed'), tries = tries + 1
                   WHERE run = ? AND state = 'taken'`
      this.#db.run(sql, CRASHES_MAX, Number(open['id']))
      return { id: Number(open['id']), resumed: true }
    }
    this.#forgetOldRuns(now)
    const made = this.#db.run(`INSERT INTO runs (job, state, started_at) VALUES (?, 'running', ?)`, job, now)
    return { id: Number(made.lastInsertRowid), resumed: false }
  }

  /** What was in flight when a run was told to stop waits again; that is no failure. */
  putBackTaken(run: number): void {
    this.#db.run(`UPDATE queue SET state = 'waiting' WHERE run = ? AND state = 'taken'`, run)
  }

  /** Nobody comes back for a queue that old: what it holds would mostly be gone. */
  #forgetOldRuns(now: number): void {
    const old = this.#db.all(`SELECT id FROM runs WHERE state = 'running' AND started_at < ?`, now - UNFINISHED_KEPT_MS)
    for (const row of old) this.endRun(Number(row['id']), now)
  }

  /** The queue of a finished run is thrown away; what was learnt of pages and hosts stays. */
  endRun(run: number, now: number): void {
    this.#db.inTransaction(() => {
      this.#db.run(`UPDATE runs SET state = 'done', ended_at = ? WHERE id = ?`, now, run)
      this.#db.run(`DELETE FROM queue WHERE run = ?`, run)
      this.#db.run(`DELETE FROM patterns WHERE run = ?`, run)
    })
  }

  scopes(run: number): string[] {
    return JSON.parse(String(this.#db.get(`SELECT scopes FROM runs WHERE id = ?`, run)?.['scopes'] ?? '[]')) as string[]
  }

  saveScopes(run: number, scopes: readonly string[]): void {
    this.#db.run(`UPDATE runs SET scopes = ? WHERE id = ?`, JSON.stringify(scopes), run)
  }

  /** Adds what the run has not seen yet and gives the hosts of what was added. */
  add(run: number, items: readonly NewItem[], now: number): string[] {
    return this.#db.inTransaction(() => items.flatMap((item) => this.#addOne(run, item, now) ?? []))
  }

  #addOne(run: number, item: NewItem, now: number): string | undefined {
    if (this.#db.get(`SELECT 1 FROM queue WHERE run = ? AND url = ?`, run, item.url) !== undefined) return undefined
    const pattern = this.#db.get(
      `INSERT INTO patterns (run, pattern, queued) VALUES (?, ?, 1)
       ON CONFLICT DO UPDATE SET queued = queued + 1 RETURNING id, queued, dull`,
      run,
      patternOf(item.url),
    )
    if (Number(pattern?.['dull']) >= DULL_MAX) return undefined
    const doublings = Math.log2(Math.max(1, Number(pattern?.['queued']) / PATTERN_FREE))
    const priority = item.priority - Math.min(DEMOTION_MAX, Math.floor(doublings) * DEMOTION)
    const { host } = new URL(item.url)
    this.#db.run(
      `INSERT INTO queue (run, url, host, kind, state, priority, depth, redirects, tries, pattern, hints)
       VALUES (?, ?, ?, ?, 'waiting', ?, ?, ?, 0, ?, ?)`,
      run,
      item.url,
      host,
      item.kind,
      priority,
      item.depth,
      item.redirects,
      Number(pattern?.['id']),
      item.hints ?? null,
    )
    if (item.kind === 'page')
      this.#db.run(`INSERT OR IGNORE INTO pages (url, first_seen_at) VALUES (?, ?)`, item.url, now)
    return host
  }

  /** How many URLs wait, host by host. */
  waiting(run: number): Map<string, number> {
    const rows = this.#db.all(
      `SELECT host, count(*) n FROM queue WHERE run = ? AND state = 'waiting' GROUP BY host`,
      run,
    )
    return new Map(rows.map((row) => [String(row['host']), Number(row['n'])]))
  }

  /** The next URL of a host, without taking it. */
  peek(run: number, host: string): Item | undefined {
    const row = this.#db.get(
      `SELECT * FROM queue WHERE run = ? AND state = 'waiting' AND host = ? ORDER BY priority DESC, id LIMIT 1`,
      run,
      host,
    )
    return row === undefined ? undefined : itemOf(row)
  }

  /** In flight from now on; the host is not asked before `nextAt` even if we are killed meanwhile. */
  take(item: Item, nextAt: number): void {
    this.#db.inTransaction(() => {
      this.#db.run(`UPDATE queue SET state = 'taken' WHERE id = ?`, item.id)
      this.#db.run(
        `INSERT INTO hosts (host, next_at, failures) VALUES (?, ?, 0) ON CONFLICT DO UPDATE SET next_at = excluded.next_at`,
        item.host,
        nextAt,
      )
    })
  }

  /** Ends an item and, in the same transaction, adds what it led to. Gives the hosts of what was added. */
  finish(run: number, item: Item, end: ItemEnd, found: readonly NewItem[], now: number): string[] {
    return this.#db.inTransaction(() => {
      this.#db.run(`UPDATE queue SET state = ?, hints = NULL WHERE id = ?`, end, item.id)
      if (end === 'kept') this.#db.run(`UPDATE runs SET kept = kept + 1 WHERE id = ?`, run)
      return found.flatMap((one) => this.#addOne(run, one, now) ?? [])
    })
  }

  /** Back to the queue after a failure that may pass, behind what has not failed yet. */
  retry(item: Item): void {
    const sql = `UPDATE queue SET state = 'waiting', tries = tries + 1, priority = priority - ? WHERE id = ?`
    this.#db.run(sql, RETRY_DEMOTION, item.id)
  }

  /** Every URL of a host that still waits is ended. */
  giveUpHost(run: number, host: string, end: ItemEnd): number {
    const sql = `UPDATE queue SET state = ? WHERE run = ? AND host = ? AND state IN ('waiting', 'taken')`
    return Number(this.#db.run(sql, end, run, host).changes)
  }

  /** Counts one more answer. */
  countFetch(run: number, bytes: number): void {
    this.#db.run(`UPDATE runs SET fetched = fetched + 1, bytes = bytes + ? WHERE id = ?`, bytes, run)
  }

  /** Notes what a page of a pattern said; tells the hosts that lost URLs when that was the twentieth time in a row. */
  noteContent(run: number, pattern: number, content: string): string[] {
    return this.#db.inTransaction(() => {
      const row = this.#db.get(
        `UPDATE patterns SET dull = CASE WHEN last = ?1 THEN dull + 1 ELSE 0 END, last = ?1 WHERE id = ?2 RETURNING dull`,
        content,
        pattern,
      )
      if (Number(row?.['dull']) < DULL_MAX) return []
      const sql = `UPDATE queue SET state = 'trap' WHERE pattern = ? AND state = 'waiting' AND run = ? RETURNING host`
      return this.#db.all(sql, pattern, run).map((lost) => String(lost['host']))
    })
  }

  totals(run: number): RunTotals {
    const row = this.#db.get(`SELECT kept, fetched, bytes FROM runs WHERE id = ?`, run)
    return {
      kept: Number(row?.['kept'] ?? 0),
      fetched: Number(row?.['fetched'] ?? 0),
      bytes: Number(row?.['bytes'] ?? 0),
    }
  }

  /** How many URLs are in which state; reads the whole queue. */
  states(run: number): Record<string, number> {
    const rows = this.#db.all(`SELECT state, count(*) n FROM queue WHERE run = ? GROUP BY state`, run)
    return Object.fromEntries(rows.map((row) => [String(row['state']), Number(row['n'])]))
  }

  close(): void {
    this.#db.close()
  }
}

function itemOf(row: Row): Item {
  const { kind, hints } = row
  return {
    id: Number(row['id']),
    url: String(row['url']),
    host: String(row['host']),
    kind: kind === 'sitemap' || kind === 'feed' ? kind : 'page',
    priority: Number(row['priority']),
    depth: Number(row['depth']),
    redirects: Number(row['redirects']),
    tries: Number(row['tries']),
    pattern: Number(row['pattern']),
    ...(typeof hints === 'string' ? { hints } : {}),
  }
}
