import type { GgufKeys } from './gguf/keys.ts'
import { stringAt, stringCount } from './gguf/string-table.ts'
import type { StringTable } from './gguf/string-table.ts'

/** llama.cpp's token types, as `tokenizer.ggml.token_type` has them. */
export const TOKEN_TYPE = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const

/** What a tokenizer is made of, as plain data. */
export type Vocabulary = {
  /** `tokenizer.ggml.pre`: names the pattern that cuts text into words. */
  pre: string
  /** Written in GPT-2's alphabet of printable characters, one a byte. */
  tokens: StringTable
  /** "left right", best first. */
  merges: StringTable
  /** One of TOKEN_TYPE for each token. */
  types: Int32Array
  /** For templates that name them. */
  beginToken: number | undefined
  endToken: number | undefined
}

const SEPARATE: ReadonlySet<number> = new Set([TOKEN_TYPE.unknown, TOKEN_TYPE.control, TOKEN_TYPE.unused])

export function readVocabulary(keys: GgufKeys): Vocabulary {
  const model = keys.findString('tokenizer.ggml.model')
  if (model !== 'gpt2') keys.refuse('tokenizer.ggml.model', `"gpt2" (byte-level BPE); it is ${model ?? 'missing'}`)
  const tokens = keys.findTable('tokenizer.ggml.tokens') ?? keys.miss('tokenizer.ggml.tokens')
  const count = stringCount(tokens)
  const given = keys.findNumbers('tokenizer.ggml.token_type')
  if (given !== undefined && given.length !== count) {
    keys.refuse('tokenizer.ggml.token_type', `as long as the ${count} tokens; it has ${given.length}`)
  }
  return {
    pre: keys.findString('tokenizer.ggml.pre') ?? 'default',
    tokens,
    merges: keys.findTable('tokenizer.ggml.merges') ?? keys.miss('tokenizer.ggml.merges'),
    types: given === undefined ? new Int32Array(count).fill(TOKEN_TYPE.normal) : Int32Array.from(given),
    beginToken: findToken(keys, 'tokenizer.ggml.bos_token_id', count),
    endToken: findToken(keys, 'tokenizer.ggml.eos_token_id', count),
  }
}

/** The id that a key holds; refused where the vocabulary has no such row. */
export function findToken(keys: GgufKeys, name: string, rows: number): number | undefined {
  const id = keys.findCount(name)
  return id === undefined || id < rows ? id : keys.refuse(name, `below ${rows}; it is ${id}`)
}

/** Control tokens that end a turn in the families we know, where no key says so. */
const END_NAMES: ReadonlySet<string> = new Set(['<|eot_id|>', '<|im_end|>', '<|role_end|>', '<|end|>'])

export function endTokensByName(vocabulary: Vocabulary): number[] {
  const found: number[] = []
  for (const [id, type] of vocabulary.types.entries()) {
    if (type === TOKEN_TYPE.control && END_NAMES.has(stringAt(vocabulary.tokens, id))) found.push(id)
  }
  return found
}

/**
 * Ids that are never drawn: control, unknown and unused tokens and the mask, but not the ends of a turn; and rows of the
 * embedding behind the last token, which only round its size up. Ascending.
 */
export function bannedTokens(
  vocabulary: Vocabulary,
  ids: { mask: number; ends: readonly number[]; rows: number },
): number[] {
  const banned: number[] = []
  const ends = new Set(ids.ends)
  for (let id = 0; id < ids.rows; id++) {
    const separate = SEPARATE.has(vocabulary.types[id] ?? TOKEN_TYPE.unused)
    if (id === ids.mask || (separate && !ends.has(id))) banned.push(id)
  }
  return banned
}
