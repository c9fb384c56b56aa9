import { Template } from '@huggingface/jinja'
import type { ChatTurn } from '../messages.ts'
import { WeightsError } from '../weights/errors.ts'
import { breakSpecials } from './break-specials.ts'
import { asPythonSpaces, fromPythonSpaces } from './python-spaces.ts'

/** `refused`: the template raised an exception, or cannot deal with this conversation; `reason` is its sentence. */
export type RenderedChat = { kind: 'prompt'; prompt: string } | { kind: 'refused'; reason: string }

export type TemplateTokens = {
  /** Names of special tokens, longest first. */
  specials: readonly string[]
  /** For templates that write `bos_token` and `eos_token`. */
  begin: string
  end: string
}

/** More than the API lets in, with room for what a template adds. */
const PROMPT_LENGTH_MAX = 2 ** 24
const REASON_LENGTH_MAX = 500
/** As in Jinja's own sandbox. A list that takes all memory at one stroke ends the process, whatever the thread's limit says. */
const RANGE_MAX = 100_000
const BOUNDED_RANGE = new Template('{% set range = bounded_range %}').parsed.body

/**
 * A model's chat template: Jinja in a sandbox that knows only strings, numbers, lists and mappings. The texts of the
 * conversation are broken where they name special tokens; `Tokenizer.encodePrompt` mends them.
 */
export class ChatTemplate {
  private readonly template: Template
  private readonly tokens: TemplateTokens

  /** Throws WeightsError where the template is no Jinja. */
  constructor(source: string, tokens: TemplateTokens) {
    this.tokens = tokens
    try {
      this.template = new Template(source)
      this.template.parsed.body.unshift(...BOUNDED_RANGE)
    } catch (error) {
      throw new WeightsError(`the chat template cannot be parsed: ${sentenceOf(error)}`)
    }
  }

  render(turns: readonly ChatTurn[]): RenderedChat {
    const messages = turns.map(({ role, text }) => {
      return { role, content: asPythonSpaces(breakSpecials(text, this.tokens.specials)) }
    })
    try {
      const rendered = this.template.render({
        messages,
        add_generation_prompt: true,
        bos_token: this.tokens.begin,
        eos_token: this.tokens.end,
        tools: null,
        documents: null,
        bounded_range: boundedRange,
      })
      if (rendered.length <= PROMPT_LENGTH_MAX) return { kind: 'prompt', prompt: fromPythonSpaces(rendered) }
      return { kind: 'refused', reason: 'the chat template made an impossibly long prompt' }
    } catch (error) {
      return { kind: 'refused', reason: sentenceOf(error) }
    }
  }
}

/** Jinja's range. Throws where there are more than RANGE_MAX numbers. */
function boundedRange(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second]
  const count = Math.max(0, Math.ceil((stop - start) / step))
  if (count <= RANGE_MAX) return Array.from({ length: count }, (_, i) => start + i * step)
  throw new Error(`range() gives at most ${RANGE_MAX} numbers: ${start} to ${stop} by ${step} are more`)
}

function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.toWellFormed().slice(0, REASON_LENGTH_MAX)
}
