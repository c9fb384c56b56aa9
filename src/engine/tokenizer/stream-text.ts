import { StopSearch } from './stop-search.ts'

/**
 * Committed tokens in, append-only text out: bytes wait until they are a whole character, and text that may be the
 * beginning of a stop string waits until it is not. How the tokens were cut into pushes never shows in the text.
 */
export class StreamText {
  private readonly bytesOf: (id: number) => Uint8Array
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  private readonly search: StopSearch
  /** Length of the text known before each token that came in: where its own text begins. */
  private readonly begins: number[] = []
  private known = 0
  private told = 0

  /** `stop`: up to 4 non-empty strings. */
  constructor(bytesOf: (id: number) => Uint8Array, stop: readonly string[]) {
    this.bytesOf = bytesOf
    this.search = new StopSearch(stop)
  }

  /** A stop string has come: what is pushed from now on is not looked at. */
  get stopped(): boolean {
    return this.search.cutAt !== undefined
  }

  /** How many of the tokens the returned text has, once `stopped` or `finish` was called: one that was cut counts whole. */
  get tokens(): number {
    const { cutAt } = this.search
    if (cutAt === undefined) return this.begins.length
    // Text begins never fall, so those before the cut stand first.
    const behind = this.begins.findIndex((begin) => begin >= cutAt)
    return behind < 0 ? this.begins.length : behind
  }

  /** Text that can no longer change; may be empty. */
  push(ids: readonly number[]): string {
    let text = ''
    for (const id of ids) {
      if (this.stopped) break
      this.begins.push(this.known)
      text += this.take(this.decoder.decode(this.bytesOf(id), { stream: true }))
    }
    return text
  }

  /** What still waited: an unfinished character becomes U+FFFD, the beginning of a stop string is text after all. */
  finish(): string {
    if (this.stopped) return ''
    const text = this.take(this.decoder.decode())
    return this.stopped ? text : text + this.tell(this.known)
  }

  private pending = ''

  private take(text: string): string {
    this.known += text.length
    this.pending += text
    return this.tell(this.search.push(text))
  }

  /** Lets go of the text up to `until`. */
  private tell(until: number): string {
    const text = this.pending.slice(0, until - this.told)
    this.pending = this.pending.slice(until - this.told)
    this.told = until
    return text
  }
}
