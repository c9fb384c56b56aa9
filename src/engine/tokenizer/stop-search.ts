/** One stop string and how much of its beginning the text ends with just now (Knuth, Morris and Pratt, 1977). */
type Matcher = { stop: string; fallback: Int32Array; matched: number }

/**
 * Finds the first stop string to be complete in a text that comes in pieces; of two that end together the longer counts.
 * Linear in text and stop strings, whatever they are.
 */
export class StopSearch {
  /** Where the text ends: before the stop string that came. */
  cutAt: number | undefined
  private readonly matchers: Matcher[]
  private length = 0

  constructor(stops: readonly string[]) {
    this.matchers = stops.map((stop) => ({ stop, fallback: fallbacks(stop), matched: 0 }))
  }

  /** Up to where the text is certain: no stop string can begin before it any more. */
  push(text: string): number {
    for (let i = 0; i < text.length && this.cutAt === undefined; i++) {
      this.length++
      for (const matcher of this.matchers) {
        advance(matcher, text.charAt(i))
        if (matcher.matched < matcher.stop.length) continue
        const begin = this.length - matcher.matched
        this.cutAt = Math.min(this.cutAt ?? begin, begin)
      }
    }
    return this.cutAt ?? this.length - Math.max(0, ...this.matchers.map(({ matched }) => matched))
  }
}

function advance(matcher: Matcher, unit: string): void {
  const { stop, fallback } = matcher
  let { matched } = matcher
  while (matched > 0 && stop[matched] !== unit) matched = fallback[matched - 1] ?? 0
  matcher.matched = stop[matched] === unit ? matched + 1 : 0
}

/** For each beginning of the stop string: the longest shorter beginning that it ends with. */
function fallbacks(stop: string): Int32Array {
  const fallback = new Int32Array(stop.length)
  for (let i = 1, matched = 0; i < stop.length; i++) {
    while (matched > 0 && stop[matched] !== stop[i]) matched = fallback[matched - 1] ?? 0
    if (stop[matched] === stop[i]) matched++
    fallback[i] = matched
  }
  return fallback
}
