/** Values in the exact form that the contract gives them. */

const ZONE_MS = 8 * 3_600_000
const DAY_MS = 86_400_000

export type Published = { at: number; dayOnly: boolean }

/** `2025-02-23T08:18:30+08:00`: whole seconds, never `Z`. */
export function timestamp(at: number): string {
  return `${new Date(at + ZONE_MS).toISOString().slice(0, 19)}+08:00`
}

/** A source that named a day only is midnight +08:00 of that day. Null where nothing is known. */
export function publishedForm(published: Published | undefined): string | null {
  if (published === undefined) return null
  if (!published.dayOnly) return timestamp(published.at)
  const day = Math.floor((published.at + ZONE_MS) / DAY_MS) * DAY_MS
  return timestamp(day - ZONE_MS)
}

/** Within the last 24 hours. */
export function isSuperfresh(published: Published | undefined, now: number): boolean {
  return published !== undefined && published.at <= now && now - published.at <= DAY_MS
}

/** Not decoded for show: spaces and controls, and signs that turn the direction of writing (a URL could lie with them). */
const HIDDEN = /[\s\p{Cc}\p{Cf}\p{Co}\p{Cn}]/u

/** The URL as people read it: percent-encoded UTF-8 decoded, as far as it is that and can be shown. */
export function displayUrl(url: string): string {
  return url.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      const decoded = decodeURIComponent(encoded)
      return HIDDEN.test(decoded) ? encoded : decoded
    } catch {
      return encoded
    }
  })
}

/** ISO 8601: `PT6M6S`, `PT1H2M`, `PT0S`. */
export function duration(seconds: number | undefined): string | null {
  if (seconds === undefined) return null
  const whole = Math.round(seconds)
  const parts = [
    [Math.floor(whole / 3600), 'H'],
    [Math.floor(whole / 60) % 60, 'M'],
    [whole % 60, 'S'],
  ] as const
  const text = parts.map(([n, unit]) => (n === 0 ? '' : `${n}${unit}`)).join('')
  return `PT${text === '' ? '0S' : text}`
}

export function contentSize(bytes: number | undefined): string | null {
  return bytes === undefined ? null : `${bytes} B`
}
