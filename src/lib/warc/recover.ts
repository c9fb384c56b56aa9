import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Capture, parseCapture, renderCapture, SORTED_MARK } from './cdxj.ts'
import type { WarcRecord } from './format.ts'
import { parseHttpResponse } from './http-message.ts'
import { findHeader } from '../net/headers.ts'
import { readWarcFile } from './reader.ts'

/**
 * Makes the folder whole after a crash and names the WARC that is still being written, if there is one: a record that
 * was torn while it was written is cut off, captures that the index does not tell yet are added to it.
 */
export async function recoverFolder(folder: string): Promise<string | undefined> {
  mkdirSync(folder, { recursive: true })
  const last = readdirSync(folder)
    .filter((name) => /^unmask-\d{14}-\d{5}\.warc\.gz$/.test(name))
    .toSorted()
    .at(-1)
  if (last === undefined) return undefined
  const indexPath = join(folder, last.replace(/\.warc\.gz$/, '.cdxj'))
  const lines = readIndexLines(indexPath)
  if (lines[0] === SORTED_MARK) return undefined
  const captures = lines.map(parseCapture).filter((capture) => capture !== undefined)
  const from = captures.at(-1)?.offset ?? 0
  const { added, whole } = await scan(join(folder, last), from)
  if (whole < statSync(join(folder, last)).size) truncateSync(join(folder, last), whole)
  const known = captures.filter((capture) => capture.offset < from)
  writeFileSync(indexPath, [...known, ...added].map((capture) => `${renderCapture(capture)}\n`).join(''))
  return last
}

/** Complete lines only: the last one may be torn. */
export function readIndexLines(path: string): string[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8').split('\n').slice(0, -1)
}

async function scan(path: string, from: number): Promise<{ added: Capture[]; whole: number }> {
  const added: Capture[] = []
  let whole = from
  for await (const record of readWarcFile(path, from)) {
    if (record.length === undefined || record.cut || record.offset !== whole) break
    whole = record.offset + record.length
    const capture = captureOf(record, path)
    if (capture !== undefined) added.push(capture)
  }
  return { added, whole }
}

/** The index line of a `response` or `revisit` record; undefined for the others. */
function captureOf(record: WarcRecord, path: string): Capture | undefined {
  const { type, targetUri, at, length } = record
  if ((type !== 'response' && type !== 'revisit') || targetUri === undefined || at === undefined) return undefined
  const http = parseHttpResponse(record.content)
  if (http === undefined || length === undefined) return undefined
  const mime = type === 'revisit' ? 'warc/revisit' : mimeOf(findHeader(http.headers, 'content-type'))
  return {
    url: targetUri,
    at: Math.floor(at / 1000) * 1000,
    mime,
    status: http.status,
    digest: record.fields.get('warc-payload-digest') ?? '-',
    file: path.replace(/^.*[\\/]/, ''),
    offset: record.offset,
    length,
  }
}

/** "text/html" of "Text/HTML; charset=utf-8"; "unk" where none was sent, as index files say it. */
export function mimeOf(contentType: string | undefined): string {
  const mime = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  return mime === '' ? 'unk' : mime
}
