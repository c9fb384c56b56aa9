import type { Answer } from '../../lib/net/guarded-fetch.ts'
import { findHeader } from '../../lib/net/headers.ts'
import { REVISIT_IDENTICAL, REVISIT_NOT_MODIFIED } from '../../lib/warc/format.ts'
import { mimeOf } from '../../lib/warc/recover.ts'
import { digest, type NewRecord, renderHttp } from '../../lib/warc/render.ts'
import type { WarcWriter } from '../../lib/warc/writer.ts'
import type { KnownPage } from './site-memory.ts'

export type Stored = { file: string; offset: number; digest: string; unchanged: boolean }

/** Said by undici's reading: the body stands without chunks. A replay must not look for them. */
const UNDONE = new Set(['transfer-encoding', 'connection', 'keep-alive'])

/**
 * Writes one fetch to the WARC: the response (or a `revisit` where the server says 304, or the payload is the one we
 * have), the request, and how it went. `known` is what we had of the URL before.
 */
export async function storeAnswer(
  writer: WarcWriter,
  answer: Answer,
  known: KnownPage | undefined,
  at: number,
): Promise<Stored> {
  const payload = digest(answer.decoded)
  const notModified = answer.status === 304
  const identical = known?.digest === payload && known.place !== undefined && answer.status === 200
  const revisit = notModified ? REVISIT_NOT_MODIFIED : identical ? REVISIT_IDENTICAL : undefined
  const headers = answer.headers.filter(([name]) => !UNDONE.has(name.toLowerCase()))
  const status = `HTTP/1.1 ${answer.status} ${answer.statusText}`
  const wireDigest = digest(answer.body)
  const common = { at, targetUri: answer.url }
  const response: NewRecord = {
    ...common,
    type: revisit === undefined ? 'response' : 'revisit',
    contentType: 'application/http;msgtype=response',
    content: renderHttp(status, headers, revisit === undefined ? answer.body : new Uint8Array()),
    fields: {
      'WARC-Payload-Digest': notModified ? known?.digest : payload,
      'WARC-Truncated': answer.truncated,
      'WARC-Profile': revisit,
      'WARC-Refers-To-Target-URI': revisit === undefined ? undefined : answer.url,
      'WARC-Refers-To-Date':
        revisit === undefined || known?.storedAt === undefined ? undefined : isoTime(known.storedAt),
    },
  }
  const url = new URL(answer.url)
  const request: NewRecord = {
    ...common,
    type: 'request',
    contentType: 'application/http;msgtype=request',
    content: renderHttp(`GET ${url.pathname}${url.search} HTTP/1.1`, answer.requestHeaders, new Uint8Array()),
  }
  const metadata: NewRecord = {
    ...common,
    type: 'metadata',
    contentType: 'application/warc-fields',
    content: Buffer.from(`fetchTimeMs: ${Math.round(answer.tookMs)}\r\nwireDigest: ${wireDigest}\r\n`),
  }
  const place = await writer.append([response, request, metadata], {
    url: answer.url,
    at,
    mime: revisit === undefined ? mimeOf(findHeader(answer.headers, 'content-type')) : 'warc/revisit',
    status: answer.status,
    digest: notModified ? (known?.digest ?? '-') : payload,
  })
  return { ...place, digest: payload, unchanged: revisit !== undefined }
}

function isoTime(at: number): string {
  return new Date(at).toISOString()
}
