import { getDomainWithoutSuffix } from 'tldts'
import type { DocumentsReader } from '../documents/documents-reader.ts'
import { DATE_CONFIDENCE_MIN } from '../document.ts'
import { hashText, squash } from './squash.ts'

const BATCH = 5_000
const CHANGED = `SELECT id, seq, url, host, removed, hidden, language, published_at, published_confidence, first_seen_at,
  title, site_name, simhash_high, simhash_low FROM pages WHERE seq > ? ORDER BY seq LIMIT ?`

/** A host: `home` is the page with its shortest address, -1 if none; `names` are what people call it, squashed. */
export type Host = { name: string; authority: number; home: number; homePath: string; names: Set<string> }

/**
 * What ranking asks of every candidate, in typed arrays by page id, so that a list of a thousand costs no reads. Each query
 * thread has its own and follows the documents by their change numbers.
 */
export class Signals {
  host = new Int32Array(1024)
  /** Epoch seconds; 0 when not known. */
  published = new Uint32Array(1024)
  simhashHigh = new Uint32Array(1024)
  simhashLow = new Uint32Array(1024)
  titleHash = new Uint32Array(1024)
  authority = new Float32Array(1024)
  gone = new Uint8Array(1024)
  /** Two letters as a number; 0 when not known. */
  language = new Uint16Array(1024)
  readonly #hosts = new Map<number, Host>()
  readonly #byName = new Map<string, Set<number>>()
  #seq = 0
  #graph = -1

  follow(documents: DocumentsReader): void {
    for (;;) {
      const rows = documents.all(CHANGED, this.#seq, BATCH)
      for (const row of rows) this.#read(row)
      if (rows.length < BATCH) break
    }
    const graph = Number(documents.all("SELECT value FROM meta WHERE name = 'graph'")[0]?.['value'] ?? 0)
    if (graph !== this.#graph) this.#readGraph(documents)
    this.#graph = graph
    this.#readHosts(documents)
  }

  #read(row: Record<string, unknown>): void {
    const id = Number(row['id'])
    this.#grow(id)
    this.#seq = Number(row['seq'])
    const confident = row['published_at'] !== null && Number(row['published_confidence']) >= DATE_CONFIDENCE_MIN
    this.host[id] = Number(row['host'])
    this.published[id] = confident ? Math.max(0, Number(row['published_at']) / 1000) : 0
    this.simhashHigh[id] = Number(row['simhash_high'])
    this.simhashLow[id] = Number(row['simhash_low'])
    this.titleHash[id] = hashText(squash(String(row['title'])))
    this.gone[id] = row['removed'] === 1 || row['hidden'] === 1 ? 1 : 0
    this.language[id] = languageNumber(row['language'] === null ? undefined : String(row['language']))
    this.#readHome(id, row)
  }

  #readHome(id: number, row: Record<string, unknown>): void {
    const host = this.#host(Number(row['host']))
    const { pathname, search } = new URL(String(row['url']))
    if (this.gone[id] === 1) {
      if (host.home === id) host.home = -1
      return
    }
    if (pathname.split('/').length > 3 || search !== '') return
    const [a, b] = [pathname.length, host.homePath.length]
    const better = host.home < 0 || a < b || (a === b && pathname < host.homePath)
    if (!better && host.home !== id) return
    Object.assign(host, { home: id, homePath: pathname })
    if (row['site_name'] !== null) this.#call(Number(row['host']), host, squash(String(row['site_name'])))
  }

  #host(id: number): Host {
    const known = this.#hosts.get(id)
    if (known !== undefined) return known
    const host: Host = { name: '', authority: 0, home: -1, homePath: '', names: new Set() }
    this.#hosts.set(id, host)
    return host
  }

  #call(id: number, host: Host, name: string): void {
    if (name === '') return
    host.names.add(name)
    this.#byName.set(name, (this.#byName.get(name) ?? new Set()).add(id))
  }

  #readHosts(documents: DocumentsReader): void {
    for (const row of documents.all('SELECT id, name, authority FROM hosts')) {
      const id = Number(row['id'])
      const host = this.#host(id)
      host.authority = Number(row['authority'])
      if (host.name !== '') continue
      host.name = String(row['name'])
      this.#call(id, host, squash(host.name))
      this.#call(id, host, squash(host.name.replace(/^www\./, '')))
      this.#call(id, host, squash(getDomainWithoutSuffix(host.name) ?? ''))
    }
  }

  #readGraph(documents: DocumentsReader): void {
    for (const row of documents.all('SELECT id, authority FROM graph')) {
      this.#grow(Number(row['id']))
      this.authority[Number(row['id'])] = Number(row['authority'])
    }
  }

  hostOf(id: number): Host | undefined {
    return this.#hosts.get(this.host[id] ?? 0)
  }

  /** Home pages of the hosts that people call so. */
  homesCalled(name: string): number[] {
    const homes = [...(this.#byName.get(name) ?? [])].map((host) => this.#hosts.get(host)?.home ?? -1)
    return homes.filter((id) => id >= 0 && this.gone[id] === 0)
  }

  #grow(id: number): void {
    if (id < this.host.length) return
    const length = Math.max(id + 1, this.host.length * 2)
    this.host = grown(this.host, new Int32Array(length))
    this.published = grown(this.published, new Uint32Array(length))
    this.simhashHigh = grown(this.simhashHigh, new Uint32Array(length))
    this.simhashLow = grown(this.simhashLow, new Uint32Array(length))
    this.titleHash = grown(this.titleHash, new Uint32Array(length))
    this.authority = grown(this.authority, new Float32Array(length))
    this.gone = grown(this.gone, new Uint8Array(length))
    this.language = grown(this.language, new Uint16Array(length))
  }
}

function grown<Numbers extends { set(from: Numbers): void }>(from: Numbers, to: Numbers): Numbers {
  to.set(from)
  return to
}

export function languageNumber(language: string | undefined): number {
  return language === undefined ? 0 : language.charCodeAt(0) * 256 + language.charCodeAt(1)
}
