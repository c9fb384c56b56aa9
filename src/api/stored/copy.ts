import type { StoredCopy } from '../../search/search.ts'
import type { Answer } from '../answer.ts'
import type { Call } from '../call.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../errors.ts'
import { escape } from '../pages/page.ts'
import { timestamp } from '../web-search/forms.ts'
import { insertBanner } from './insert-banner.ts'

/** A stranger's page under our address: it may show itself and do nothing. */
const COPY_HEADERS = {
  'content-security-policy':
    "sandbox; default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; form-action 'none'",
  'x-robots-tag': 'noindex, nofollow',
  'cache-control': 'private, no-cache',
}

/** GET /copy/:id: the page as it was fetched, under a banner that tells when. */
export async function handleCopy(call: Call, deps: Deps): Promise<Answer> {
  const copy = await deps.search.storedCopy(call.parameters['id'] ?? '')
  if (copy === undefined) throw new ApiError('not_found', { text: 'There is no stored copy of this name (any more).' })
  const type = copy.contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'text/html' || type === 'application/xhtml+xml') return htmlCopy(copy)
  if (type === 'text/plain') return textCopy(copy)
  return attachment(copy, type)
}

function htmlCopy(copy: StoredCopy): Answer {
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(copy.contentType)?.[1]
  // Even XHTML goes out as HTML: a banner in the middle of strict XML would break it.
  const type = charset === undefined ? 'text/html' : `text/html; charset=${charset}`
  return { kind: 'bytes', ...insertBanner(copy.body, type, banner(copy)), headers: COPY_HEADERS }
}

function textCopy(copy: StoredCopy): Answer {
  const text = new TextDecoder('utf-8').decode(copy.body)
  const html = `<!doctype html><meta charset="utf-8"><title>Stored copy</title>${banner(copy)}<pre style="white-space:pre-wrap">${escape(text)}</pre>`
  return { kind: 'text', type: 'text/html; charset=utf-8', text: html, headers: COPY_HEADERS }
}

/** What a browser would run or hand to a plug-in (SVG, PDF, XML) is only ever saved. */
function attachment(copy: StoredCopy, type: string): Answer {
  const name = decodeName(URL.parse(copy.url)?.pathname.split('/').at(-1) ?? '')
  const headers = { ...COPY_HEADERS, 'content-disposition': `attachment; filename="${name}"` }
  const safe = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream'
  return { kind: 'bytes', type: safe, bytes: copy.body, headers }
}

function decodeName(segment: string): string {
  const name = segment
    .replace(/%[0-9a-f]{2}/gi, '_')
    .replace(/[^\w.-]/g, '_')
    .slice(-100)
  return name === '' ? 'copy' : name
}

/** ASCII only, whatever the page's charset is. Its links lead to the original site (`base`). */
function banner(copy: StoredCopy): string {
  const when = timestamp(copy.fetchedAt).replace('T', ' ').replace('+08:00', ' UTC+8')
  const url = ascii(escape(copy.url))
  return `<base href="${url}"><div style="all:initial;display:block;box-sizing:border-box;width:100%;padding:10px 16px;background:#12343b;color:#fff;font:15px/1.5 system-ui,sans-serif">Stored copy, as this server fetched it on <b style="all:unset;font-weight:700">${when}</b>. The page may have changed since: <a style="all:unset;color:#7fe0cb;text-decoration:underline;cursor:pointer" rel="noreferrer" href="${url}">${url}</a></div>`
}

function ascii(html: string): string {
  return [...html].map((one) => (one < '\u007f' ? one : `&#${one.codePointAt(0)};`)).join('')
}
