import { stringAt, stringCount } from '../weights/gguf/string-table.ts'
import { TOKEN_TYPE } from '../weights/vocabulary.ts'
import type { Vocabulary } from '../weights/vocabulary.ts'
import { BREAK, withoutBreaks } from './break-specials.ts'
import { MergeTable } from './merge-table.ts'
import { mergeWord } from './merge-word.ts'
import { readTokenBytes } from './token-bytes.ts'
import type { TokenBytes } from './token-bytes.ts'
import { cutWords, getCut } from './words.ts'
import type { Cut } from './words.ts'

const CACHED_WORDS_MAX = 20_000
const CACHED_LENGTH_MAX = 32

/**
 * Text to token ids and back, from a file's own vocabulary: byte-level BPE. What encoding needs is made at its first use,
 * so a process that only turns ids into text does not pay for it.
 */
export class Tokenizer {
  /** Names of the tokens that a template's own text may call, longest first. */
  readonly specials: readonly string[]
  /** Of a normal token: text of n bytes has at least n / longestBytes tokens. */
  readonly longestBytes: number
  private readonly vocabulary: Vocabulary
  private readonly cut: Cut
  private readonly said: TokenBytes
  private readonly specialIds: ReadonlyMap<string, number>
  private readonly specialPattern: RegExp | undefined
  private readonly cache = new Map<string, readonly number[]>()
  private readonly utf8 = new TextEncoder()
  private table: MergeTable | undefined

  /** Throws WeightsError where the vocabulary's pattern is not known here. */
  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary
    this.cut = getCut(vocabulary.pre)
    this.said = readTokenBytes(vocabulary)
    this.longestBytes = this.said.longest
    this.specialIds = readSpecials(vocabulary)
    this.specials = [...this.specialIds.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
    this.specialPattern = this.specials.length === 0 ? undefined : new RegExp(this.specials.map(escaped).join('|'), 'g')
  }

  /** Ids of plain text: never a special token, whatever it looks like. Stops soon behind `idsMax` ids. */
  encode(text: string, idsMax = Infinity): number[] {
    const ids: number[] = []
    this.encodeInto(text.toWellFormed(), ids, idsMax)
    return ids
  }

  /**
   * Ids of what a chat template gave. Its own text may name special tokens; in the texts of a conversation they were
   * broken before (`breakSpecials`), so that they cannot. Stops soon behind `idsMax` ids.
   */
  encodePrompt(prompt: string, idsMax = Infinity): number[] {
    const ids: number[] = []
    let at = 0
    for (const match of this.specialPattern === undefined ? [] : prompt.matchAll(this.specialPattern)) {
      this.encodeInto(withoutBreaks(prompt.slice(at, match.index)), ids, idsMax)
      if (ids.length > idsMax) return ids
      ids.push(this.specialIds.get(match[0]) ?? 0)
      at = match.index + match[0].length
    }
    this.encodeInto(withoutBreaks(prompt.slice(at)), ids, idsMax)
    return ids
  }

  /** What the token says: a view. Empty for an id outside the vocabulary. */
  bytes(id: number): Uint8Array {
    return this.said.bytes.subarray(this.said.starts[id] ?? 0, this.said.starts[id + 1] ?? 0)
  }

  isControl(id: number): boolean {
    return (this.vocabulary.types[id] ?? TOKEN_TYPE.unused) !== TOKEN_TYPE.normal
  }

  /** The text of some tokens, for people to read: bytes that are no UTF-8 become U+FFFD. */
  text(ids: readonly number[]): string {
    return Buffer.concat(ids.map((id) => this.bytes(id))).toString('utf8')
  }

  private encodeInto(text: string, ids: number[], idsMax: number): void {
    cutWords(text, this.cut, (from, to) => {
      for (const id of this.encodeWord(text.slice(from, to))) ids.push(id)
      return ids.length <= idsMax
    })
  }

  private encodeWord(word: string): readonly number[] {
    const known = this.cache.get(word)
    if (known !== undefined) return known
    this.table ??= new MergeTable(this.vocabulary)
    const bytes = this.utf8.encode(word)
    const whole = this.cut.wholeWords ? this.table.findWhole(bytes) : undefined
    const ids = whole === undefined ? mergeWord(bytes, this.table) : [whole]
    if (word.length <= CACHED_LENGTH_MAX) {
      if (this.cache.size >= CACHED_WORDS_MAX) this.cache.clear()
      this.cache.set(word, ids)
    }
    return ids
  }
}

function readSpecials(vocabulary: Vocabulary): Map<string, number> {
  const specials = new Map<string, number>()
  for (let id = 0; id < stringCount(vocabulary.tokens); id++) {
    const type = vocabulary.types[id]
    if (type !== TOKEN_TYPE.control && type !== TOKEN_TYPE.userDefined) continue
    const name = stringAt(vocabulary.tokens, id)
    if (name !== '' && !name.includes(BREAK) && !specials.has(name)) specials.set(name, id)
  }
  return specials
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
}
