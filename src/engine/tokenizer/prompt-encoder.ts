import type { ChatTurn } from '../messages.ts'
import { stringAt } from '../weights/gguf/string-table.ts'
import type { Vocabulary } from '../weights/vocabulary.ts'
import { ChatTemplate } from './chat-template.ts'
import { Tokenizer } from './tokenizer.ts'

export type EncodedPrompt =
  /** `beginning`: how many first ids are the template's own, the same for every conversation of this form. */
  | { kind: 'ids'; ids: number[]; beginning: number }
  /** The template refused the conversation; its sentence. */
  | { kind: 'refused'; reason: string }
  /** The prompt has more than `tokensMax` tokens: at least `tokensMin`. */
  | { kind: 'too_long'; tokensMin: number }

const BEGINNINGS_MAX = 200
/** Two conversations that have nothing but the template in common. */
const STAND_INS = ['x', '7']

/** Renders and encodes the conversations of one model. */
export class PromptEncoder {
  readonly tokenizer: Tokenizer
  private readonly template: ChatTemplate
  private readonly beginnings = new Map<string, readonly number[]>()

  /** Throws WeightsError where vocabulary or template cannot be used. */
  constructor(vocabulary: Vocabulary, template: string) {
    this.tokenizer = new Tokenizer(vocabulary)
    const name = (id: number | undefined) => (id === undefined ? '' : stringAt(vocabulary.tokens, id))
    this.template = new ChatTemplate(template, {
      specials: this.tokenizer.specials,
      begin: name(vocabulary.beginToken),
      end: name(vocabulary.endToken),
    })
  }

  encode(turns: readonly ChatTurn[], tokensMax: number): EncodedPrompt {
    const atLeast = tokensAtLeast(turns, this.tokenizer.longestBytes)
    if (atLeast > tokensMax) return { kind: 'too_long', tokensMin: atLeast }
    const rendered = this.template.render(turns)
    if (rendered.kind === 'refused') return rendered
    const ids = this.tokenizer.encodePrompt(rendered.prompt, tokensMax)
    if (ids.length > tokensMax) return { kind: 'too_long', tokensMin: ids.length }
    return { kind: 'ids', ids, beginning: sharedLength(ids, this.beginningOf(turns)) }
  }

  /** What the template says before the first text of a conversation with these roles. */
  private beginningOf(turns: readonly ChatTurn[]): readonly number[] {
    const roles = turns.slice(0, 2).map(({ role }) => role)
    const known = this.beginnings.get(roles.join())
    if (known !== undefined) return known
    const [first = [], second = []] = STAND_INS.map((text) => {
      const rendered = this.template.render(roles.map((role) => ({ role, text })))
      return rendered.kind === 'prompt' ? this.tokenizer.encodePrompt(rendered.prompt) : []
    })
    const beginning = first.slice(0, sharedLength(first, second))
    if (this.beginnings.size >= BEGINNINGS_MAX) this.beginnings.clear()
    this.beginnings.set(roles.join(), beginning)
    return beginning
  }
}

/** No encoding has fewer tokens: every UTF-16 unit is at least one byte, every token at most `longestBytes` of them. */
export function tokensAtLeast(turns: readonly ChatTurn[], longestBytes: number): number {
  const units = turns.reduce((sum, { text }) => sum + text.length, 0)
  return Math.ceil(units / longestBytes)
}

function sharedLength(a: readonly number[], b: readonly number[]): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}
