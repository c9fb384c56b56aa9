import type { GgufValue } from '../gguf/format.ts'
import { tableOf } from '../gguf/string-table.ts'
import { TOKEN_TYPE } from '../vocabulary.ts'

/** Control tokens come first, then one token for each byte: any text can be said, without merges. */
const CONTROL = ['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<|mask|>']
export const END_TOKEN = 2
export const MASK_TOKEN = 3

const TEMPLATE = `{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`

/**
 * `tokenizer.*` keys of a byte-level vocabulary with a ChatML template. Made-up words, which no text is cut into, stand behind the
 * bytes until there are `tokensMin`.
 */
export function byteVocabularyKeys(tokensMin: number): [string, GgufValue][] {
  const bytes = Array.from({ length: 256 }, (_, byte) => byteCharacter(byte))
  const missing = Math.max(0, tokensMin - CONTROL.length - bytes.length)
  const normal = [...bytes, ...Array.from({ length: missing }, (_, i) => `word${i}`)]
  const types = [...CONTROL.map(() => TOKEN_TYPE.control), ...normal.map(() => TOKEN_TYPE.normal)]
  return [
    ['tokenizer.ggml.model', { type: 'string', value: 'gpt2' }],
    ['tokenizer.ggml.pre', { type: 'string', value: 'gpt-2' }],
    ['tokenizer.ggml.tokens', { type: 'array', of: 'string', value: tableOf([...CONTROL, ...normal]) }],
    ['tokenizer.ggml.token_type', { type: 'array', of: 'i32', value: types }],
    ['tokenizer.ggml.merges', { type: 'array', of: 'string', value: tableOf([]) }],
    ['tokenizer.ggml.bos_token_id', { type: 'u32', value: 1 }],
    ['tokenizer.ggml.eos_token_id', { type: 'u32', value: END_TOKEN }],
    ['tokenizer.ggml.mask_token_id', { type: 'u32', value: MASK_TOKEN }],
    ['tokenizer.ggml.add_bos_token', { type: 'bool', value: false }],
    ['tokenizer.chat_template', { type: 'string', value: TEMPLATE }],
  ]
}

/** GPT-2's printable stand-in for a byte: itself where it is printable Latin-1, else the next free one from U+0100 on. */
function byteCharacter(byte: number): string {
  if (isPrintable(byte)) return String.fromCodePoint(byte)
  let place = 0
  for (let other = 0; other < byte; other++) if (!isPrintable(other)) place++
  return String.fromCodePoint(256 + place)
}

function isPrintable(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad)
}
