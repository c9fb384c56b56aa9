/** A word inside a run; `start` and `end` count from the run's beginning. */
export type Piece = { term: string; start: number; end: number }

/** ICU is asked for this many characters at once: its cost grows with the run, and a hostile run may be megabytes. */
const RUN_CHARACTERS_MAX = 2_000

const segmenters = new Map<string, Intl.Segmenter>()

/** Words of a run that has no spaces, by the ICU dictionary of `locale` (`ja`, `th`). */
export function cutByDictionary(run: string, locale: string): Piece[] {
  const segmenter = segmenters.get(locale) ?? new Intl.Segmenter(locale, { granularity: 'word' })
  segmenters.set(locale, segmenter)
  const pieces: Piece[] = []
  for (let from = 0; from < run.length; from += RUN_CHARACTERS_MAX) {
    for (const { segment, index, isWordLike } of segmenter.segment(run.slice(from, from + RUN_CHARACTERS_MAX))) {
      if (isWordLike !== true) continue
      pieces.push({ term: segment, start: from + index, end: from + index + segment.length })
    }
  }
  return pieces
}
