import { decodeContent } from '../net/decode-content.ts'
import { findHeader, type Header } from '../net/headers.ts'

export type HttpResponse = {
  status: number
  statusText: string
  headers: Header[]
  /** Without transfer encoding, still content-encoded. */
  body: Uint8Array
}

const HEADER_BYTES_MAX = 1_048_576

/** The response that a `response` (or, without body, a `revisit`) record holds; undefined where it is none. */
export function parseHttpResponse(block: Uint8Array): HttpResponse | undefined {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  const head = bytes.subarray(0, HEADER_BYTES_MAX).toString('latin1')
  const [separator] = /\r?\n\r?\n/.exec(head) ?? []
  const headEnd = separator === undefined ? head.length : head.indexOf(separator)
  const [first = '', ...lines] = head.slice(0, headEnd).split(/\r?\n/)
  const [, status, statusText = ''] = /^HTTP\/\d(?:\.\d)? +(\d{3})(?: (.*))?$/.exec(first) ?? []
  if (status === undefined) return undefined
  const headers = lines.flatMap((line): Header[] => {
    const colon = line.indexOf(':')
    return colon > 0 ? [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]] : []
  })
  const raw = bytes.subarray(headEnd + (separator?.length ?? 0))
  const chunked = /chunked/i.test(findHeader(headers, 'transfer-encoding') ?? '')
  return { status: Number(status), statusText, headers, body: chunked ? (joinChunks(raw) ?? raw) : raw }
}

/**
 * Undoes the chunked transfer coding (RFC 9112 §7.1), as far as it goes. undefined if `bytes` do not begin so: many
 * archives keep the header and store the body joined.
 */
function joinChunks(bytes: Buffer): Uint8Array | undefined {
  const chunks: Uint8Array[] = []
  let at = 0
  while (at < bytes.length) {
    const [line, size] = /^([0-9a-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n/i.exec(bytes.toString('latin1', at, at + 256)) ?? []
    if (line === undefined || size === undefined) return at === 0 ? undefined : Buffer.concat(chunks)
    const length = Number.parseInt(size, 16)
    if (length === 0) break
    const start = at + line.length
    chunks.push(bytes.subarray(start, start + length))
    at = start + length
    if (bytes[at] === 13) at++
    if (bytes[at] === 10) at++
  }
  return Buffer.concat(chunks)
}

/** The body as a browser would see it; as stored where its content encoding cannot be undone. */
export async function decodeBody(response: HttpResponse, bytesMax: number): Promise<Uint8Array> {
  const decoded = await decodeContent(response.body, findHeader(response.headers, 'content-encoding') ?? '', bytesMax)
  return decoded.kind === 'decoded' ? decoded.bytes : response.body
}
