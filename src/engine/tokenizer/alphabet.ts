/**
 * GPT-2's alphabet: every byte has one printable character (openai/gpt-2, src/encoder.py, `bytes_to_unicode`).
 * Printable Latin-1 stands for itself, the 68 others for U+0100 to U+0143 in order.
 */
const PLACE_OF_BYTE = Array.from({ length: 256 }, (_, byte) => byte)
  .filter((byte) => !isPrintable(byte))
  .reduce((places, byte, place) => places.set(byte, 256 + place), new Map<number, number>())

/** Code point of a byte's character. */
export const CHARACTER_OF_BYTE: readonly number[] = Array.from(
  { length: 256 },
  (_, byte) => PLACE_OF_BYTE.get(byte) ?? byte,
)

/** Byte of a character's code point below 0x144; -1 where it is no letter of the alphabet. */
export const BYTE_OF_CHARACTER: Int16Array = new Int16Array(0x144).fill(-1)
for (const [byte, character] of CHARACTER_OF_BYTE.entries()) BYTE_OF_CHARACTER[character] = byte

function isPrintable(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad)
}
