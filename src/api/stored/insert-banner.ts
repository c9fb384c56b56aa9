type Typed = { type: string; bytes: Uint8Array }

/** As far as a page's head may reach before we look no further for its body. */
const HEAD_BYTES_MAX = 262_144

/**
 * Puts `banner` (ASCII) behind the page's `<body>` tag, on the bytes: the page keeps its charset, and what tells it (header,
 * byte order mark, meta) keeps its place. A page in UTF-16 is no superset of ASCII: it becomes UTF-8.
 */
export function insertBanner(body: Uint8Array, type: string, banner: string): Typed {
  const utf16 = utf16Of(body, type)
  if (utf16 !== undefined) {
    const utf8 = Buffer.from(new TextDecoder(utf16).decode(body))
    return insertBanner(utf8, 'text/html; charset=utf-8', banner)
  }
  const at = placeOf(Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, HEAD_BYTES_MAX)))
  return { type, bytes: Buffer.concat([body.subarray(0, at), Buffer.from(banner, 'latin1'), body.subarray(at)]) }
}

function utf16Of(body: Uint8Array, type: string): 'utf-16le' | 'utf-16be' | undefined {
  if ((body[0] === 0xff && body[1] === 0xfe) || /charset=utf-16(le)?$/i.test(type)) return 'utf-16le'
  if ((body[0] === 0xfe && body[1] === 0xff) || /charset=utf-16be$/i.test(type)) return 'utf-16be'
  return undefined
}

/**
 * Behind `<body …>`, else behind `</head>` or the doctype, else at the beginning (behind a byte order mark). No pattern may
 * run past the next `<`: a page of nothing but open doctypes would hold the server for seconds.
 */
function placeOf(head: Buffer): number {
  const text = head.toString('latin1')
  for (const tag of [/<body(?:\s[^<>]*)?>/i, /<\/head\s*>/i, /<!doctype[^<>]*>/i]) {
    const found = tag.exec(text)
    if (found !== null) return found.index + found[0].length
  }
  return text.startsWith('\u00ef\u00bb\u00bf') ? 3 : 0
}
