import type { Answer } from '../../lib/net/guarded-fetch.ts'
import { findHeader } from '../../lib/net/headers.ts'
import { mimeOf } from '../../lib/warc/recover.ts'

export type Readable = 'html' | 'text' | 'pdf' | 'xml'

const KINDS: Record<string, Readable> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'application/x-pdf': 'pdf',
  'text/plain': 'text',
  'text/markdown': 'text',
  'text/xml': 'xml',
  'application/xml': 'xml',
  'application/rss+xml': 'xml',
  'application/atom+xml': 'xml',
  'application/rdf+xml': 'xml',
  'application/feed+json': 'xml',
}

/** What a response can be read as; undefined where we read nothing of it. First bytes count where no type was sent. */
export function readableKind(answer: Answer): Readable | undefined {
  const mime = mimeOf(findHeader(answer.headers, 'content-type'))
  const start = Buffer.from(answer.decoded.subarray(0, 1024)).toString('latin1').trimStart()
  if (start.startsWith('%PDF-')) return 'pdf'
  if (mime === 'unk' || mime === 'application/octet-stream') {
    return /^(?:<!doctype html|<html|<head|<body|<title)/i.test(start) ? 'html' : undefined
  }
  const kind = KINDS[mime]
  // A cut PDF has lost its table of contents, which stands at its end.
  return kind === 'pdf' && answer.truncated !== undefined ? undefined : kind
}
