/**
 * Charikar's simhash (STOC 2002) of 64 bits over shingles of three words (two Han characters count as words of their own): texts that share
 * most shingles differ in few bits. Two unsigned halves; no BigInt, which is ten times slower.
 */
export function simhash(text: string): [number, number] {
  const votes = new Int32Array(64)
  const words = text.slice(0, TEXT_MAX).toLowerCase().match(WORDS) ?? []
  if (words.length === 0) return [0, 0]
  for (let i = 0; i < Math.max(1, words.length - 2); i++) {
    const [high, low] = hash(`${words[i] ?? ''} ${words[i + 1] ?? ''} ${words[i + 2] ?? ''}`)
    for (let bit = 0; bit < 32; bit++) {
      votes[bit] = (votes[bit] ?? 0) + ((high >>> bit) & 1 ? 1 : -1)
      votes[32 + bit] = (votes[32 + bit] ?? 0) + ((low >>> bit) & 1 ? 1 : -1)
    }
  }
  return [fromVotes(votes, 0), fromVotes(votes, 32)]
}

const TEXT_MAX = 40_000
const WORDS = /\p{Script=Han}|[\p{Script=Hiragana}\p{Script=Katakana}]{1,2}|[\p{L}\p{N}]+/gu

function fromVotes(votes: Int32Array, from: number): number {
  let half = 0
  for (let bit = 0; bit < 32; bit++) if ((votes[from + bit] ?? 0) > 0) half |= 1 << bit
  return half >>> 0
}

/** Two FNV-1a walks with a last mix of murmur3, so that every input bit reaches every output bit. */
function hash(text: string): [number, number] {
  let a = 0x811c9dc5
  let b = 0x9747b28c
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ unit, 0x85ebca6b) ^ (b >>> 13)
  }
  return [mix(a), mix(b ^ a)]
}

function mix(value: number): number {
  let x = value ^ (value >>> 16)
  x = Math.imul(x, 0x85ebca6b)
  x ^= x >>> 13
  x = Math.imul(x, 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}
