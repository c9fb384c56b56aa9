import { appendFileSync, closeSync, fdatasync, fstatSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import type { Clock } from '../clock.ts'
import { replaceFile } from '../replace-file.ts'
import { type Capture, parseCapture, renderCapture, SORTED_MARK } from './cdxj.ts'
import { newRecordId, type NewRecord, renderRecord } from './render.ts'
import { readIndexLines, recoverFolder } from './recover.ts'

const gzipAsync = promisify(gzip)
const syncAsync = promisify(fdatasync)

export type WarcWriterParts = {
  folder: string
  clock: Clock
  /** `software`, `robots` and the like, told by each file's first record. */
  about: Record<string, string>
  /** A file that has grown beyond this is finished and the next one begun. */
  fileBytesMax?: number
}

/** What a written group is found by; its place is filled in. */
export type NewCapture = Omit<Capture, 'file' | 'offset' | 'length'>

const FILE_BYTES_MAX = 1_000_000_000
const SYNC_EVERY_MS = 1000

/**
 * Appends records to the WARC files of a folder, each a gzip member, and a line for each capture to the `.cdxj` beside.
 * One writer a folder. After a crash `open` cuts a torn last record off and completes the index; a finished file's
 * index is sorted. Writes are in the page cache at once (kill -9 loses nothing), on the disk within a second.
 */
export class WarcWriter {
  readonly #parts: WarcWriterParts
  #file: number
  #name: string
  #size: number
  #syncedAt: number
  #last: Promise<unknown> = Promise.resolve()

  private constructor(parts: WarcWriterParts, name: string) {
    this.#parts = parts
    this.#name = name
    this.#file = openSync(join(parts.folder, name), 'a')
    this.#size = fstatSync(this.#file).size
    this.#syncedAt = parts.clock.monotonicMs()
  }

  static async open(parts: WarcWriterParts): Promise<WarcWriter> {
    const unfinished = await recoverFolder(parts.folder)
    const writer = new WarcWriter(parts, unfinished ?? newName(parts.clock.now()))
    if (writer.#size === 0) await writer.#writeInfo()
    return writer
  }

  /** Writes a group of records as one piece (the first one is the capture) and tells where the first one stands. */
  append(records: readonly NewRecord[], capture?: NewCapture): Promise<{ file: string; offset: number }> {
    const compressed = compressGroup(records)
    const write = this.#last.then(() => this.#write(compressed, capture))
    this.#last = write.catch(() => undefined)
    return write
  }

  /** Waits for what is being written. The last file stays open-ended: the next `open` goes on with it. */
  async close(): Promise<void> {
    await this.#last
    await syncAsync(this.#file)
    closeSync(this.#file)
  }

  async #write(compressed: Promise<Uint8Array[]>, capture: NewCapture | undefined) {
    const members = await compressed
    if (this.#size > (this.#parts.fileBytesMax ?? FILE_BYTES_MAX)) await this.#beginNextFile()
    const place = { file: this.#name, offset: this.#size }
    writeAll(this.#file, Buffer.concat(members))
    this.#size += members.reduce((sum, member) => sum + member.length, 0)
    if (capture !== undefined) {
      const line = renderCapture({ ...capture, ...place, length: members[0]?.length ?? 0 })
      appendFileSync(join(this.#parts.folder, indexName(this.#name)), `${line}\n`)
    }
    await this.#syncNowAndThen()
    return place
  }

  async #syncNowAndThen(): Promise<void> {
    const now = this.#parts.clock.monotonicMs()
    if (now - this.#syncedAt < SYNC_EVERY_MS) return
    this.#syncedAt = now
    await syncAsync(this.#file)
  }

  async #beginNextFile(): Promise<void> {
    await syncAsync(this.#file)
    closeSync(this.#file)
    sortIndex(join(this.#parts.folder, indexName(this.#name)))
    this.#name = newName(this.#parts.clock.now(), this.#name)
    this.#file = openSync(join(this.#parts.folder, this.#name), 'a')
    this.#size = 0
    await this.#writeInfo()
  }

  /** §6.2: what wrote this file. */
  async #writeInfo(): Promise<void> {
    const lines = Object.entries({ ...this.#parts.about, format: 'WARC File Format 1.1' })
    const content = Buffer.from(lines.map(([name, value]) => `${name}: ${value.replace(/[\r\n]+/g, ' ')}\r\n`).join(''))
    const at = this.#parts.clock.now()
    const fields = { 'WARC-Filename': this.#name }
    const info: NewRecord = { type: 'warcinfo', at, contentType: 'application/warc-fields', content, fields }
    const member = await gzipAsync(renderRecord(info, newRecordId()))
    writeAll(this.#file, member)
    this.#size += member.length
  }
}

/** The records of one fetch name the first one, so that a reader finds what belongs together (§5.7). */
function compressGroup(records: readonly NewRecord[]): Promise<Uint8Array[]> {
  const firstId = newRecordId()
  return Promise.all(
    records.map((record, i) => {
      if (i === 0) return compress(renderRecord(record, firstId))
      const fields = { ...record.fields, 'WARC-Concurrent-To': firstId }
      return compress(renderRecord({ ...record, fields }, newRecordId()))
    }),
  )
}

/** A thread costs more than it takes to compress a little: measured 70 µs against 8. */
const SMALL_BYTES = 4096

function compress(bytes: Uint8Array): Promise<Uint8Array> | Uint8Array {
  return bytes.length < SMALL_BYTES ? gzipSync(bytes) : gzipAsync(bytes)
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
}

function indexName(warcName: string): string {
  return warcName.replace(/\.warc(\.gz)?$/, '.cdxj')
}

/** "unmask-20261121123000-00001.warc.gz"; the number tells files of one second apart. */
function newName(at: number, previous?: string): string {
  const stamp = new Date(at).toISOString().replace(/\D/g, '').slice(0, 14)
  const number = Number(/-(\d+)\.warc/.exec(previous ?? '')?.[1] ?? 0) + 1
  return `unmask-${stamp}-${String(number).padStart(5, '0')}.warc.gz`
}

function sortIndex(path: string): void {
  const lines = readIndexLines(path).filter((line) => parseCapture(line) !== undefined)
  replaceFile(path, `${[SORTED_MARK, ...lines.toSorted()].join('\n')}\n`, 0o644)
}
