import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { CopyPlace, ImageRecord, PageDocument } from '../document.ts'
import { packBody, packLinks } from './contents.ts'
import { openDocumentsFile, THINGS_PER_PAGE } from './schema.ts'

/** A page, and where its bytes stand; a page kept again without a place keeps the one it has. */
export type Kept = { page: PageDocument; place?: CopyPlace }

/** Below it an image is a button or a spacer. Pixels. */
const IMAGE_SIDE_MIN = 60

const UPSERT = `
INSERT INTO pages (url, seq, host, removed, hidden, private, fetched_at, first_seen_at, published_at, published_day,
  published_confidence, language, page_type, content_type, title, site_name, icon_url, canonical_url, adult,
  simhash_high, simhash_low, copy_file, copy_offset)
VALUES (:url, :seq, :host, 0, :hidden, :private, :fetched_at, :first_seen_at, :published_at, :published_day,
  :published_confidence, :language, :page_type, :content_type, :title, :site_name, :icon_url, :canonical_url, :adult,
  :simhash_high, :simhash_low, :copy_file, :copy_offset)
ON CONFLICT (url) DO UPDATE SET seq = excluded.seq, host = excluded.host, removed = 0, hidden = excluded.hidden,
  private = CASE WHEN excluded.copy_file IS NULL THEN pages.private ELSE excluded.private END, fetched_at = excluded.fetched_at,
  first_seen_at = min(pages.first_seen_at, excluded.first_seen_at), published_at = excluded.published_at,
  published_day = excluded.published_day, published_confidence = excluded.published_confidence,
  language = excluded.language, page_type = excluded.page_type, content_type = excluded.content_type,
  title = excluded.title, site_name = excluded.site_name, icon_url = excluded.icon_url,
  canonical_url = excluded.canonical_url, adult = excluded.adult, simhash_high = excluded.simhash_high,
  simhash_low = excluded.simhash_low, copy_file = coalesce(excluded.copy_file, pages.copy_file),
  copy_offset = coalesce(excluded.copy_offset, pages.copy_offset)
RETURNING id`

/** Keeps and removes pages. Each call is one transaction: after a crash all of it is there or nothing. */
export class DocumentsWriter {
  readonly #file: DatabaseSync
  readonly #upsert: StatementSync
  readonly #content: StatementSync
  readonly #nextSeq: StatementSync
  readonly #addHost: StatementSync
  readonly #touchCopies: StatementSync
  readonly #things: Record<'images' | 'videos', { clear: StatementSync; add: StatementSync }>
  readonly #hosts = new Map<string, number>()

  constructor(path: string) {
    this.#file = openDocumentsFile(path, false)
    this.#upsert = this.#file.prepare(UPSERT)
    this.#content = this.#file.prepare('INSERT OR REPLACE INTO contents (id, body, links) VALUES (?, ?, ?)')
    this.#nextSeq = this.#file.prepare("UPDATE meta SET value = value + 1 WHERE name = 'seq' RETURNING value")
    this.#addHost = this.#file.prepare(
      'INSERT INTO hosts (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET name = name RETURNING id',
    )
    const things = (table: string): { clear: StatementSync; add: StatementSync } => ({
      clear: this.#file.prepare(`DELETE FROM ${table} WHERE key BETWEEN ? AND ?`),
      add: this.#file.prepare(`INSERT INTO ${table} (key, url, record) VALUES (?, ?, ?)`),
    })
    this.#things = { images: things('images'), videos: things('videos') }
    this.#touchCopies = this.#file.prepare(
      'SELECT id FROM pages WHERE canonical_url = ? AND url <> ? AND removed = 0 LIMIT 20',
    )
  }

  /** Puts a page in, or its newer form in the place of the older; when it was first seen stays. Answers its id. */
  keep(page: PageDocument, place?: CopyPlace): number {
    return this.keepAll([place === undefined ? { page } : { page, place }])[0] ?? 0
  }

  keepAll(pages: Kept[]): number[] {
    return this.#inTransaction(() => pages.map((kept) => this.#keepOne(kept)))
  }

  #keepOne({ page, place }: Kept): number {
    const row = this.#upsert.get({
      ...rowOf(page),
      seq: this.#seq(),
      host: this.#hostId(page.host),
      private: place?.private === true ? 1 : 0,
      copy_file: place?.file ?? null,
      copy_offset: place?.offset ?? null,
    })
    const id = Number(row?.['id'])
    this.#content.run(id, packBody(page), packLinks(page))
    this.#putThings('images', id, pickImages(page))
    this.#putThings('videos', id, page.videos)
    // Copies that name this page as the one to show can be left out from now on.
    for (const copy of this.#touchCopies.all(page.url, page.url)) this.touch(Number(copy['id']))
    return id
  }

  #putThings(table: 'images' | 'videos', page: number, records: { url: string }[]): void {
    const { clear, add } = this.#things[table]
    const first = page * THINGS_PER_PAGE
    clear.run(first, first + THINGS_PER_PAGE - 1)
    for (const [at, record] of records.slice(0, THINGS_PER_PAGE).entries()) {
      add.run(first + at, record.url, JSON.stringify(record))
    }
  }

  /** The page is gone: its content goes, and the index is told. Whether it was there. */
  remove(url: string): boolean {
    return this.#inTransaction(() => {
      const row = this.#file.prepare('SELECT id FROM pages WHERE url = ? AND removed = 0').get(url)
      if (row === undefined) return false
      const id = Number(row['id'])
      this.#file.prepare('UPDATE pages SET removed = 1, seq = ? WHERE id = ?').run(this.#seq(), id)
      this.#file.prepare('DELETE FROM contents WHERE id = ?').run(id)
      this.#putThings('images', id, [])
      this.#putThings('videos', id, [])
      return true
    })
  }

  /** Puts a page into the outbox again. */
  touch(id: number): void {
    this.#file.prepare('UPDATE pages SET seq = ? WHERE id = ?').run(this.#seq(), id)
  }

  /** What the link graph found; a page whose anchors changed is indexed anew. */
  setGraph(
    rows: { id: number; authority: number; anchors: string }[],
    hosts: { id: number; authority: number }[],
  ): void {
    this.#inTransaction(() => {
      const find = this.#file.prepare('SELECT anchors FROM graph WHERE id = ?')
      const put = this.#file.prepare('INSERT OR REPLACE INTO graph (id, authority, anchors) VALUES (?, ?, ?)')
      for (const { id, authority, anchors } of rows) {
        const before = find.get(id)?.['anchors'] ?? ''
        put.run(id, authority, anchors)
        if (before !== anchors) this.touch(id)
      }
      const putHost = this.#file.prepare('UPDATE hosts SET authority = ? WHERE id = ?')
      for (const { id, authority } of hosts) putHost.run(authority, id)
      this.#file.exec(
        "INSERT INTO meta (name, value) VALUES ('graph', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1",
      )
    })
  }

  #seq(): number {
    return Number(this.#nextSeq.get()?.['value'])
  }

  #hostId(name: string): number {
    const known = this.#hosts.get(name)
    if (known !== undefined) return known
    const id = Number(this.#addHost.get(name)?.['id'])
    this.#hosts.set(name, id)
    return id
  }

  #inTransaction<Result>(work: () => Result): Result {
    this.#file.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.#file.exec('COMMIT')
      return result
    } catch (error) {
      this.#hosts.clear()
      this.#file.exec('ROLLBACK')
      throw error
    }
  }

  close(): void {
    this.#file.close()
  }
}

/** The images worth finding: no buttons and spacers, those that the page is about first. */
function pickImages(page: PageDocument): ImageRecord[] {
  const worth = page.images.filter(({ width = IMAGE_SIDE_MIN, height = IMAGE_SIDE_MIN, name, context }) => {
    return width >= IMAGE_SIDE_MIN && height >= IMAGE_SIDE_MIN && (name !== '' || context !== '')
  })
  return worth.toSorted((a, b) => b.prominence - a.prominence)
}

function rowOf(page: PageDocument): Record<string, string | number | null> {
  return {
    url: page.url,
    hidden: page.noindex ? 1 : 0,
    fetched_at: Math.round(page.fetchedAt),
    first_seen_at: Math.round(page.firstSeenAt),
    published_at: page.published === undefined ? null : Math.round(page.published.at),
    published_day: page.published === undefined ? null : Number(page.published.dayOnly),
    published_confidence: page.published?.confidence ?? null,
    language: page.language ?? null,
    page_type: page.pageType,
    content_type: page.contentType,
    title: page.title,
    site_name: page.siteName ?? null,
    icon_url: page.iconUrl ?? null,
    canonical_url: page.canonicalUrl === page.url ? null : (page.canonicalUrl ?? null),
    adult: page.adult,
    simhash_high: page.simhash[0],
    simhash_low: page.simhash[1],
  }
}
