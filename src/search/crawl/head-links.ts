const HEAD_CHARACTERS = 65_536
const REFRESH_SECONDS_MAX = 10

/** Where a page sends its reader by `<meta http-equiv="refresh">` within ten seconds, as written. */
export function findRefresh(html: string): string | undefined {
  const head = html.slice(0, HEAD_CHARACTERS).replace(/<!--[\s\S]*?-->/g, '')
  for (const [tag] of head.matchAll(/<meta\s[^>]{1,2000}>/gi)) {
    if (!/http-equiv\s*=\s*["']?refresh/i.test(tag)) continue
    const content = /content\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag)
    const [, seconds, url] =
      /^\s*(\d+)[.\d]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content?.[1] ?? content?.[2] ?? '') ?? []
    if (url !== undefined && Number(seconds) <= REFRESH_SECONDS_MAX) return url.trim().replaceAll('&amp;', '&')
  }
  return undefined
}
