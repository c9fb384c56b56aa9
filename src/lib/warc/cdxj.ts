import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** One capture: where the bytes of a URL at a time stand. */
export type Capture = {
  url: string
  /** Epoch ms, whole seconds. */
  at: number
  mime: string
  status: number
  digest: string
  /** Name of the WARC in the same folder. */
  file: string
  offset: number
  length: number
}

/** First line of an index whose lines are in order, so that it can be searched by halves. */
export const SORTED_MARK = '!meta {"sorted":true}'

/**
 * The sort-friendly form of a URL ("org,example,docs)/path?query"), lower case, without "www.": captures of one page
 * stand together, pages of one site too.
 */
function surt(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url.toLowerCase()
  const host = parsed.hostname.replace(/^www\d*\./, '')
  const labels = /^[\d.]+$|^\[/.test(host) ? host : host.split('.').toReversed().join(',')
  const port = parsed.port === '' ? '' : `:${parsed.port}`
  return `${labels}${port})${parsed.pathname}${parsed.search}`.toLowerCase()
}

/** `<surt> <14 digits> <json>`, the line that pywb and its kin read. */
export function renderCapture(capture: Capture): string {
  const { url, mime, status, digest, length, offset, file } = capture
  const json = {
    url,
    mime,
    status: String(status),
    digest,
    length: String(length),
    offset: String(offset),
    filename: file,
  }
  return `${surt(url)} ${timestamp(capture.at)} ${JSON.stringify(json)}`
}

function timestamp(at: number): string {
  return new Date(at).toISOString().replace(/\D/g, '').slice(0, 14)
}

/** undefined for a line that is none (a header, a torn one). */
export function parseCapture(line: string): Capture | undefined {
  const [, digits, json] = /^\S+ (\d{14}) (\{.*\})\s*$/.exec(line) ?? []
  if (digits === undefined || json === undefined) return undefined
  try {
    const { url, mime, status, digest, length, offset, filename } = JSON.parse(json) as Record<string, unknown>
    const at = Date.parse(digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z'))
    const places = [Number(offset), Number(length), Number(status)]
    if (typeof url !== 'string' || typeof filename !== 'string' || !places.every(Number.isSafeInteger)) return undefined
    const [at0 = 0, bytes = 0, code = 0] = places
    return {
      url,
      at,
      mime: String(mime),
      status: code,
      digest: String(digest),
      file: filename,
      offset: at0,
      length: bytes,
    }
  } catch {
    return undefined
  }
}

/** Every capture of exactly this URL in the `.cdxj` files of a folder, oldest first. */
export function findCaptures(folder: string, url: string): Capture[] {
  const key = `${surt(url)} `
  return readdirSync(folder)
    .filter((name) => name.endsWith('.cdxj'))
    .flatMap((name) => linesWith(join(folder, name), key))
    .map(parseCapture)
    .filter((capture) => capture !== undefined)
    .filter((capture) => capture.url === url)
    .toSorted((a, b) => a.at - b.at || (a.file < b.file ? -1 : a.file > b.file ? 1 : a.offset - b.offset))
}

function linesWith(path: string, key: string): string[] {
  const file = openSync(path, 'r')
  try {
    const mark = Buffer.from(`${SORTED_MARK}\n`)
    const head = Buffer.alloc(mark.length)
    const sorted = readSync(file, head, 0, head.length, 0) === head.length && head.equals(mark)
    const text = sorted ? readFrom(file, path, key) : readFileSync(path, 'utf8')
    return text.split('\n').filter((line) => line.startsWith(key))
  } finally {
    closeSync(file)
  }
}

const WINDOW_BYTES = 65_536

/** The part of a sorted file that begins before the first line with `key` and ends behind the last. */
function readFrom(file: number, path: string, key: string): string {
  let low = 0
  let high = statSync(path).size
  while (high - low > WINDOW_BYTES) {
    const middle = Math.floor((low + high) / 2)
    const line = firstLineAfter(file, middle)
    if (line !== undefined && line < key) low = middle
    else high = middle
  }
  let text = ''
  for (let at = low; ; at += WINDOW_BYTES) {
    const bytes = Buffer.alloc(WINDOW_BYTES)
    const count = readSync(file, bytes, 0, WINDOW_BYTES, at)
    text += bytes.toString('latin1', 0, count)
    const lastLine = text.slice(text.lastIndexOf('\n', text.lastIndexOf('\n') - 1) + 1)
    if (count < WINDOW_BYTES || (at > high && lastLine > key && !lastLine.startsWith(key))) return text
  }
}

function firstLineAfter(file: number, at: number): string | undefined {
  const bytes = Buffer.alloc(WINDOW_BYTES)
  const count = readSync(file, bytes, 0, WINDOW_BYTES, at)
  return bytes.toString('latin1', 0, count).split('\n', 2)[1]
}
