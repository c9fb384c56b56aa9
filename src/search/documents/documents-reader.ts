import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { type CopyPlace, DATE_CONFIDENCE_MIN, type ImageRecord, type PageType, type VideoRecord } from '../document.ts'
import { unpackBody, unpackLinks, type Body, type KeptLink } from './contents.ts'
import { openDocumentsFile, THINGS_PER_PAGE } from './schema.ts'

/** A kept page without its content. Times in epoch ms. */
export type PageRow = {
  id: number
  url: string
  seq: number
  host: string
  hostId: number
  /** Removed, or it asked not to be found. */
  gone: boolean
  fetchedAt: number
  firstSeenAt: number
  /** Past the confidence gate. */
  published?: { at: number; dayOnly: boolean }
  language?: string
  pageType: PageType
  contentType: string
  title: string
  siteName?: string
  iconUrl?: string
  canonicalUrl?: string
  adult: number
  simhash: [number, number]
  copy?: CopyPlace
}

const COLUMNS = 'pages.*, hosts.name AS host_name'
const FROM = 'FROM pages JOIN hosts ON hosts.id = pages.host'

/** Reads kept pages; each thread has its own, and sees every transaction that has ended. */
export class DocumentsReader {
  readonly #file: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(path: string) {
    this.#file = openDocumentsFile(path, true)
  }

  /** Runs a statement that is prepared once; for the few questions that only one part asks. */
  all(sql: string, ...values: (string | number)[]): Record<string, SQLOutputValue>[] {
    return this.#prepare(sql).all(...values)
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#file.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  /** Rows changed after `seq`, in the order of their change. */
  changedAfter(seq: number, limit: number): PageRow[] {
    const sql = `SELECT ${COLUMNS} ${FROM} WHERE pages.seq > ? ORDER BY pages.seq LIMIT ?`
    return this.all(sql, seq, limit).map((row) => parsePage(row))
  }

  lastSeq(): number {
    return Number(this.#prepare("SELECT value FROM meta WHERE name = 'seq'").get()?.['value'] ?? 0)
  }

  findPage(id: number): PageRow | undefined {
    const row = this.#prepare(`SELECT ${COLUMNS} ${FROM} WHERE pages.id = ?`).get(id)
    return row === undefined ? undefined : parsePage(row)
  }

  /** Of a page that was kept, also of one that is gone. */
  getUrl(id: number): string {
    return String(this.#prepare('SELECT url FROM pages WHERE id = ?').get(id)?.['url'])
  }

  findByUrl(url: string): PageRow | undefined {
    const row = this.#prepare(`SELECT ${COLUMNS} ${FROM} WHERE pages.url = ?`).get(url)
    return row === undefined ? undefined : parsePage(row)
  }

  findBody(id: number): Body | undefined {
    const row = this.#prepare('SELECT body FROM contents WHERE id = ?').get(id)
    return row === undefined ? undefined : unpackBody(row['body'] as Uint8Array)
  }

  findLinks(id: number): KeptLink[] {
    const row = this.#prepare('SELECT links FROM contents WHERE id = ?').get(id)
    return row === undefined ? [] : unpackLinks(row['links'] as Uint8Array)
  }

  /** The images (or videos) of a page that can be found, by key. */
  thingsOf(kind: 'images' | 'videos', page: number): { key: number; record: ImageRecord | VideoRecord }[] {
    const first = page * THINGS_PER_PAGE
    const sql = `SELECT key, record FROM ${kind} WHERE key BETWEEN ? AND ?`
    const rows = this.all(sql, first, first + THINGS_PER_PAGE - 1)
    return rows.map((row) => ({ key: Number(row['key']), record: JSON.parse(String(row['record'])) as VideoRecord }))
  }

  findImage(key: number): ImageRecord | undefined {
    const record = this.#prepare('SELECT record FROM images WHERE key = ?').get(key)?.['record']
    return record === undefined ? undefined : (JSON.parse(String(record)) as ImageRecord)
  }

  findVideo(key: number): VideoRecord | undefined {
    const record = this.#prepare('SELECT record FROM videos WHERE key = ?').get(key)?.['record']
    return record === undefined ? undefined : (JSON.parse(String(record)) as VideoRecord)
  }

  findThingUrl(kind: 'images' | 'videos', key: number): string | undefined {
    const url = this.#prepare(`SELECT url FROM ${kind} WHERE key = ?`).get(key)?.['url']
    return url === undefined ? undefined : String(url)
  }

  anchorsOf(id: number): string {
    return String(this.#prepare('SELECT anchors FROM graph WHERE id = ?').get(id)?.['anchors'] ?? '')
  }

  close(): void {
    this.#statements.clear()
    this.#file.close()
  }
}

function parsePage(row: Record<string, SQLOutputValue>): PageRow {
  const page: PageRow = {
    id: Number(row['id']),
    url: String(row['url']),
    seq: Number(row['seq']),
    host: String(row['host_name']),
    hostId: Number(row['host']),
    gone: row['removed'] === 1 || row['hidden'] === 1,
    fetchedAt: Number(row['fetched_at']),
    firstSeenAt: Number(row['first_seen_at']),
    pageType: String(row['page_type']) as PageType,
    contentType: String(row['content_type']),
    title: String(row['title']),
    adult: Number(row['adult']),
    simhash: [Number(row['simhash_high']), Number(row['simhash_low'])],
  }
  const confidence = row['published_confidence']
  if (row['published_at'] !== null && Number(confidence) >= DATE_CONFIDENCE_MIN) {
    page.published = { at: Number(row['published_at']), dayOnly: row['published_day'] === 1 }
  }
  if (row['language'] !== null) page.language = String(row['language'])
  if (row['site_name'] !== null) page.siteName = String(row['site_name'])
  if (row['icon_url'] !== null) page.iconUrl = String(row['icon_url'])
  if (row['canonical_url'] !== null) page.canonicalUrl = String(row['canonical_url'])
  if (row['copy_file'] !== null) {
    page.copy = { file: String(row['copy_file']), offset: Number(row['copy_offset']), private: row['private'] === 1 }
  }
  return page
}
