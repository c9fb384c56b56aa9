import { join } from 'node:path'
import { findHeader } from '../net/headers.ts'
import { type Capture, findCaptures } from './cdxj.ts'
import type { WarcRecord } from './format.ts'
import { decodeBody, parseHttpResponse } from './http-message.ts'
import { readWarcFile } from './reader.ts'

/** A page as it was fetched: body decoded, headers with it. */
export type StoredPage = { url: string; fetchedAt: number; status: number; contentType: string; body: Uint8Array }

const BODY_BYTES_MAX = 33_554_432

/**
 * The page whose record stands at a place of `folder`; a `revisit` is followed to the capture it names (one step).
 * undefined where nothing readable stands there: places come from files that outlive what they name.
 */
export async function readCapture(
  folder: string,
  place: { file: string; offset: number },
): Promise<StoredPage | undefined> {
  const record = await readRecordAt(folder, place)
  if (record?.type !== 'revisit') return record === undefined ? undefined : pageOf(record)
  const original = findOriginal(folder, record)
  const found = original === undefined ? undefined : await readRecordAt(folder, original)
  const page = found === undefined ? undefined : await pageOf(found)
  return page === undefined ? undefined : { ...page, fetchedAt: record.at ?? page.fetchedAt }
}

async function readRecordAt(folder: string, place: { file: string; offset: number }): Promise<WarcRecord | undefined> {
  if (/[\\/]/.test(place.file)) return undefined
  const records = readWarcFile(join(folder, place.file), place.offset)
  const first = await records.next().catch(() => undefined)
  await records.return(undefined)
  return first?.done === false && first.value.offset === place.offset ? first.value : undefined
}

function findOriginal(folder: string, revisit: WarcRecord): Capture | undefined {
  const url = revisit.fields.get('warc-refers-to-target-uri') ?? revisit.targetUri
  const at = Date.parse(revisit.fields.get('warc-refers-to-date') ?? '')
  const whole = findCaptures(folder, url ?? '').filter((capture) => capture.mime !== 'warc/revisit')
  const second = Math.floor(at / 1000) * 1000
  return (
    whole.find((capture) => capture.at === second) ?? whole.findLast((capture) => !(capture.at > (revisit.at ?? 0)))
  )
}

async function pageOf(record: WarcRecord): Promise<StoredPage | undefined> {
  const http = parseHttpResponse(record.content)
  if (record.type !== 'response' || http === undefined || record.targetUri === undefined) return undefined
  return {
    url: record.targetUri,
    fetchedAt: record.at ?? 0,
    status: http.status,
    contentType: findHeader(http.headers, 'content-type') ?? 'application/octet-stream',
    body: await decodeBody(http, BODY_BYTES_MAX),
  }
}
