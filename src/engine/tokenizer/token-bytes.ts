import { stringBytes, stringCount } from '../weights/gguf/string-table.ts'
import { TOKEN_TYPE } from '../weights/vocabulary.ts'
import type { Vocabulary } from '../weights/vocabulary.ts'
import { BYTE_OF_CHARACTER } from './alphabet.ts'

/** What each token says, as bytes: all in one array, token i from `starts[i]` to `starts[i + 1]`. */
export type TokenBytes = { bytes: Uint8Array; starts: Uint32Array; longest: number }

/** Normal tokens are written in GPT-2's alphabet; control and user-defined ones as they are. */
export function readTokenBytes(vocabulary: Vocabulary): TokenBytes {
  const count = stringCount(vocabulary.tokens)
  const bytes = new Uint8Array(vocabulary.tokens.bytes.length)
  const starts = new Uint32Array(count + 1)
  let at = 0
  let longest = 1
  for (let id = 0; id < count; id++) {
    const written = stringBytes(vocabulary.tokens, id)
    const type = vocabulary.types[id]
    const plain = type === TOKEN_TYPE.control || type === TOKEN_TYPE.userDefined
    const length = plain ? -1 : readAlphabet(written, bytes, at)
    if (length < 0) bytes.set(written, at)
    else longest = Math.max(longest, length)
    at += length < 0 ? written.length : length
    starts[id + 1] = at
  }
  return { bytes: bytes.slice(0, at), starts, longest }
}

/** Bytes written at `at`, or -1 where the text is not in the alphabet (all its letters take one or two bytes of UTF-8). */
function readAlphabet(written: Uint8Array, out: Uint8Array, at: number): number {
  let end = at
  for (let i = 0; i < written.length; i++) {
    const first = written[i] ?? 0
    if (first >= 0xe0) return -1
    const character = first < 0x80 ? first : ((first & 31) << 6) | ((written[++i] ?? 0) & 63)
    const byte = BYTE_OF_CHARACTER[character] ?? -1
    if (byte < 0) return -1
    out[end++] = byte
  }
  return end - at
}
