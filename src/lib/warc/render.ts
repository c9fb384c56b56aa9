import { createHash, randomUUID } from 'node:crypto'
import type { Header } from '../net/headers.ts'
import { RECORD_END, WARC_VERSION, type WarcType } from './format.ts'

export type NewRecord = {
  type: WarcType
  /** Epoch ms. */
  at: number
  targetUri?: string
  contentType: string
  content: Uint8Array
  /** Further named fields. */
  fields?: Record<string, string | undefined>
}

export function newRecordId(): string {
  return `<urn:uuid:${randomUUID()}>`
}

/** `sha256:` and hexadecimal digits: a digest as it stands in WARC and CDXJ. */
export function digest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

/** One record's bytes, not yet compressed. A line break in a field's value would begin another field: it becomes a space. */
export function renderRecord(record: NewRecord, id: string): Uint8Array {
  const fields: [string, string | undefined][] = [
    ['WARC-Type', record.type],
    ['WARC-Record-ID', id],
    ['WARC-Date', new Date(record.at).toISOString()],
    ['WARC-Target-URI', record.targetUri],
    ...Object.entries(record.fields ?? {}),
    ['WARC-Block-Digest', digest(record.content)],
    ['Content-Type', record.contentType],
    ['Content-Length', String(record.content.length)],
  ]
  const lines = fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${oneLine(value)}`]))
  return Buffer.concat([
    Buffer.from(`${WARC_VERSION}\r\n${lines.join('\r\n')}\r\n\r\n`),
    record.content,
    Buffer.from(RECORD_END),
  ])
}

function oneLine(value: string): string {
  return value.replace(/[\r\n]+/g, ' ')
}

/** An HTTP message (RFC 9112) as the block of a request or response record. */
export function renderHttp(startLine: string, headers: readonly Header[], body: Uint8Array): Uint8Array {
  const lines = headers.map(([name, value]) => `${name}: ${oneLine(value)}\r\n`).join('')
  return Buffer.concat([Buffer.from(`${oneLine(startLine)}\r\n${lines}\r\n`, 'latin1'), body])
}
