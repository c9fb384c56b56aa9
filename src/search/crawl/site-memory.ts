import type { CopyPlace } from '../document.ts'
import type { Statements } from './statements.ts'

/** What we know of a URL from earlier visits. */
export type KnownPage = {
  firstSeenAt: number
  fetchedAt: number
  etag?: string
  lastModified?: string
  digest?: string
  /** Of the last whole response. */
  place?: CopyPlace
  /** When that response came. */
  storedAt?: number
}

export type HostState = { nextAt: number; failures: number }
export type StoredRobots = { verdict: 'rules' | 'allow' | 'disallow'; body: Uint8Array | undefined; expiresAt: number }

/** What the frontier's file knows of pages, hosts and their robots.txt over all crawls. Times are epoch ms. */
export class SiteMemory {
  readonly #db: Statements

  constructor(db: Statements) {
    this.#db = db
  }

  knownPage(url: string): KnownPage | undefined {
    const row = this.#db.get(`SELECT * FROM pages WHERE url = ?`, url)
    if (row === undefined) return undefined
    const { etag, last_modified: lastModified, digest, file } = row
    return {
      firstSeenAt: Number(row['first_seen_at']),
      fetchedAt: Number(row['fetched_at'] ?? 0),
      ...(typeof etag === 'string' ? { etag } : {}),
      ...(typeof lastModified === 'string' ? { lastModified } : {}),
      ...(typeof digest === 'string' ? { digest } : {}),
      ...(typeof file === 'string'
        ? {
            place: { file, offset: Number(row['offset']), private: Number(row['private']) === 1 },
            storedAt: Number(row['stored_at']),
          }
        : {}),
    }
  }

  savePage(url: string, status: number, page: KnownPage): void {
    this.#db.run(
      `INSERT INTO pages (url, first_seen_at, fetched_at, status, etag, last_modified, digest, file, offset, stored_at,
         private)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET fetched_at = excluded.fetched_at, status = excluded.status, etag = excluded.etag,
         last_modified = excluded.last_modified, digest = excluded.digest, file = excluded.file,
         offset = excluded.offset, stored_at = excluded.stored_at, private = excluded.private`,
      url,
      page.firstSeenAt,
      page.fetchedAt,
      status,
      page.etag ?? null,
      page.lastModified ?? null,
      page.digest ?? null,
      page.place?.file ?? null,
      page.place?.offset ?? null,
      page.storedAt ?? null,
      page.place?.private === true ? 1 : 0,
    )
  }

  host(host: string): HostState {
    const row = this.#db.get(`SELECT next_at, failures FROM hosts WHERE host = ?`, host)
    return { nextAt: Number(row?.['next_at'] ?? 0), failures: Number(row?.['failures'] ?? 0) }
  }

  saveHost(host: string, state: HostState): void {
    this.#db.run(
      `INSERT INTO hosts (host, next_at, failures) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET next_at = excluded.next_at, failures = excluded.failures`,
      host,
      Math.round(state.nextAt),
      state.failures,
    )
  }

  robots(origin: string): StoredRobots | undefined {
    const row = this.#db.get(`SELECT verdict, body, expires_at FROM robots WHERE origin = ?`, origin)
    if (row === undefined) return undefined
    const { verdict, body } = row
    const known = verdict === 'allow' || verdict === 'disallow' ? verdict : 'rules'
    return { verdict: known, body: body instanceof Uint8Array ? body : undefined, expiresAt: Number(row['expires_at']) }
  }

  saveRobots(origin: string, robots: StoredRobots): void {
    this.#db.run(
      `INSERT OR REPLACE INTO robots (origin, verdict, body, expires_at) VALUES (?, ?, ?, ?)`,
      origin,
      robots.verdict,
      robots.body ?? null,
      robots.expiresAt,
    )
  }
}
