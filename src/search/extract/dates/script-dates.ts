/** Names that scripts give to the day of publication, in the state that they draw a page from. */
const NAMES =
  'date_?published|published_?at|published_?date|publish_?date|published_?time|published_?on|first_?published(?:_?at|_?date)?|date_?posted|posted_?at|pub_?date|publication_?date|original_?publish_?date|post_?date'
const PAIR = new RegExp(String.raw`\\?"(?:${NAMES})\\?"\s{0,3}:\s{0,3}\\?"(\d{4}-\d\d-\d\d[^"\\]{0,30})`, 'gi')
const CHARACTERS_MAX = 2_000_000
const FOUND_MAX = 200

/** The date that a page's scripts agree on; where they know several pages, none of their dates is this page's for sure. */
export function readScriptDate(html: string): string | undefined {
  const days = new Map<string, string>()
  let found = 0
  for (const match of html.slice(0, CHARACTERS_MAX).matchAll(PAIR)) {
    const date = match[1] ?? ''
    days.set(date.slice(0, 10), date)
    if (days.size > 1 || ++found > FOUND_MAX) break
  }
  return days.size === 1 ? [...days.values()][0] : undefined
}
