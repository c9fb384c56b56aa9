/** Rules against sites without end: calendars, links that repeat themselves, endless folders. By the URL's text alone. */

const SEGMENTS_MAX = 12
const REPEATS_MAX = 3
const PARAMETERS_MAX = 8
/** A calendar's days lie around today; what links to the year 2099 has no end. */
const YEARS_AHEAD = 2
const YEAR_MIN = 1970

const CALENDAR_PARAMETER =
  /^(?:(?:tribe-bar-)?date|year|yr|month|mon|day|week|cal|calendar|eventdate|start_?date|ical)$/i
const CALENDAR_PATH = /\/(?:calendar|kalender|calendrier|agenda|events?|termine)\//i

/** Why a URL is not worth asking for; undefined when it is. `now` is epoch ms. `url` is normalised. */
export function findTrap(url: string, now: number): string | undefined {
  const { hostname, pathname, searchParams } = new URL(url)
  const segments = pathname.split('/').filter((segment) => segment !== '')
  if (segments.length > SEGMENTS_MAX) return 'deep_path'
  if (searchParams.size > PARAMETERS_MAX) return 'many_parameters'
  if (repeats(segments)) return 'repeated_path'
  if (segments.slice(0, -1).some((segment) => segment === hostname && segments.length > 2)) return 'host_in_path'
  return looksEndless(pathname, searchParams, new Date(now).getUTCFullYear()) ? 'calendar' : undefined
}

/** One segment more than three times, or a cycle of two or three run through three times. */
function repeats(segments: readonly string[]): boolean {
  const counts = new Map<string, number>()
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1)
  if (Math.max(0, ...counts.values()) > REPEATS_MAX) return true
  for (const size of [2, 3]) {
    for (let at = 0; at + size * 3 <= segments.length; at++) {
      const turns = [0, 1, 2].map((turn) => segments.slice(at + turn * size, at + (turn + 1) * size).join('/'))
      if (turns.every((turn) => turn === turns[0])) return true
    }
  }
  return false
}

function looksEndless(path: string, parameters: URLSearchParams, year: number): boolean {
  const named = [...parameters].filter(([name]) => CALENDAR_PARAMETER.test(name)).map(([, value]) => value)
  const inPath = CALENDAR_PATH.test(path) ? (path.match(/\/\d{4}(?=[/-]|$)/g) ?? []).map((found) => found.slice(1)) : []
  const years = [...named, ...inPath].map((value) => Number(/^(\d{4})(?:\D|$)/.exec(value)?.[1] ?? Number.NaN))
  return years.some((found) => found > year + YEARS_AHEAD || found < YEAR_MIN)
}

/**
 * The shape of a URL: its numbers and long hexadecimal ids masked, parameter names without their values. URLs of one
 * shape are one template's pages; a trap is a shape that never ends.
 */
export function patternOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url)
  const path = pathname.replace(/[0-9a-f]{8,}(?=[/.-]|$)/gi, '#').replace(/\d+/g, '#')
  const names = [...new Set(searchParams.keys())].join('&')
  return `${host}${path}${names === '' ? '' : `?${names}`}`
}
