import jschardet from 'jschardet'

export type DecodedText = {
  text: string
  charset: string
  from: 'bom' | 'header' | 'meta' | 'utf-8' | 'guess' | 'fallback'
}

/** WHATWG: a page declares its encoding within this many bytes. */
const PRESCAN_BYTES = 1024
/** Enough to guess by; more takes ten times as long and is hardly surer. */
const GUESS_BYTES = 16_384
const WHOLE_PER_BROKEN_MIN = 20

/**
 * A page's bytes as text, in the order of the WHATWG encoding sniffing algorithm: byte order mark, `charset` of the
 * Content-Type, `<meta>` (or XML declaration) in the first 1,024 bytes; then UTF-8 if the bytes are that, a guess by
 * frequencies, and windows-1252, which never fails.
 */
export function decodeText(bytes: Uint8Array, contentType: string): DecodedText {
  const mark = markOf(bytes)
  if (mark !== undefined) return decode(bytes, mark, 'bom')
  const header = known(/charset\s*=\s*["']?\s*([^\s"';,]+)/i.exec(contentType)?.[1])
  if (header !== undefined) return decode(bytes, header, 'header')
  const meta = known(prescan(bytes))
  // A page that says UTF-16 in ASCII letters is not UTF-16 (HTML §13.2.3.3).
  if (meta !== undefined) return decode(bytes, meta.startsWith('utf-16') ? 'utf-8' : meta, 'meta')
  const utf8 = decode(bytes, 'utf-8', 'utf-8')
  if (isMostlyWhole(utf8.text)) return utf8
  const guess = guessOf(bytes)
  return decode(bytes, guess ?? 'windows-1252', guess === undefined ? 'fallback' : 'guess')
}

/** One stray byte, or a page cut within a character, does not make another encoding of it. */
function isMostlyWhole(text: string): boolean {
  let broken = 0
  let whole = 0
  for (const character of text) {
    if (character === '\uFFFD') broken++
    else if (character > '\u007F') whole++
  }
  return broken * WHOLE_PER_BROKEN_MIN <= whole
}

function decode(bytes: Uint8Array, charset: string, from: DecodedText['from']): DecodedText {
  return { text: new TextDecoder(charset).decode(bytes), charset, from }
}

function markOf(bytes: Uint8Array): string | undefined {
  const [a, b, c] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  return a === 0xfe && b === 0xff ? 'utf-16be' : undefined
}

/** The WHATWG name of a label, if it is one. */
function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

function prescan(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, PRESCAN_BYTES))
    .toString('latin1')
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
  const xml = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([^"']+)["']/i.exec(head)?.[1]
  for (const [tag] of head.matchAll(/<meta[\s/][^>]*>/gi)) {
    const charset = /[\s"'/]charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(tag)?.[1]
    if (charset !== undefined) return charset
    const viaContent = /http-equiv\s*=\s*["']?content-type/i.test(tag) && /charset\s*=\s*([^\s"'>;]+)/i.exec(tag)?.[1]
    if (typeof viaContent === 'string') return viaContent
  }
  return xml
}

/** Names of the guesser that the WHATWG does not know. */
const ALSO_CALLED: Record<string, string> = {
  cp932: 'windows-31j',
  cp949: 'windows-949',
  maccyrillic: 'x-mac-cyrillic',
}

function guessOf(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.subarray(0, GUESS_BYTES))
    .toString('latin1')
    .replace(/<[^>]*>/g, ' ')
  const name = jschardet.detect(Buffer.from(text, 'latin1')).encoding?.toLowerCase()
  return known(name === undefined ? undefined : (ALSO_CALLED[name] ?? name))
}
