/** What a page, or its response header, asks of crawlers: `noindex` keeps it out of the index, `nofollow` its links alone. */
export type PageWishes = { noindex: boolean; nofollow: boolean }

/** Directives that carry a value behind a colon: "max-snippet: 50" is not about a crawler called "max-snippet". */
const WITH_VALUE = new Set(['max-snippet', 'max-image-preview', 'max-video-preview', 'unavailable_after'])

/**
 * Reads `X-Robots-Tag` headers, one text each ("noindex, nofollow", "unmask: noindex", "otherbot: none"): those for
 * everybody and those for `token` count together. `none` is both; from the time of `unavailable_after` on it is `noindex`.
 * `now` is epoch ms.
 */
export function readRobotsTags(values: readonly string[], token: string, now: number): PageWishes {
  const wishes = { noindex: false, nofollow: false }
  for (const value of values) {
    let forUs = true
    for (const part of withoutDateCommas(value.toLowerCase()).split(',')) {
      const [, name, rest] = /^\s*([a-z][\w-]*)\s*:\s*(.*)$/.exec(part) ?? []
      const named = name !== undefined && !WITH_VALUE.has(name)
      // "otherbot: noindex, nofollow": the name stands before all directives of its header.
      if (named) forUs = name === token
      const directive = (named ? (rest ?? '') : part).trim()
      if (forUs && (directive === 'noindex' || directive === 'none' || isOver(directive, now))) wishes.noindex = true
      if (forUs && (directive === 'nofollow' || directive === 'none')) wishes.nofollow = true
    }
  }
  return wishes
}

/** "Wednesday, 03-Feb-27 15:00:00 GMT" (RFC 850) and RFC 822 dates carry a comma that parts no directives. */
function withoutDateCommas(value: string): string {
  return value.replace(/\b(sun|mon|tue|wed|thu|fri|sat)([a-z]*),(?=\s*\d)/g, '$1$2')
}

function isOver(directive: string, now: number): boolean {
  const [, time] = /^unavailable_after\s*:\s*(.+)$/.exec(directive) ?? []
  const at = time === undefined ? Number.NaN : Date.parse(time)
  return at < now
}
