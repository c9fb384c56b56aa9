const KEPT = 6
const COUNTED_MAX = 200
/** What navigation says of every page says nothing of this one. */
const EMPTY_WORDS =
  /^(?:home|index|next|prev(?:ious)?|up|top|back|here|more|read more|click here|link|contents?|»|«|‹|›|\d+|#|¶)$/i

/** What links call each page: the few most said, of which each counts once. */
export class AnchorTally {
  readonly #said = new Map<number, Map<string, number>>()

  add(page: number, anchor: string): void {
    const text = anchor.replaceAll(/\s+/g, ' ').trim()
    if (text === '' || EMPTY_WORDS.test(text)) return
    const said = this.#said.get(page) ?? new Map<string, number>()
    if (!said.has(text) && said.size >= COUNTED_MAX) return
    said.set(text, (said.get(text) ?? 0) + 1)
    this.#said.set(page, said)
  }

  /** Most said first, equals by text, parted by line breaks. */
  textOf(page: number): string {
    const said = [...(this.#said.get(page) ?? [])]
    said.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    return said
      .slice(0, KEPT)
      .map(([text]) => text)
      .join('\n')
  }
}
