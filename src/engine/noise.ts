/**
 * Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
 * A number depends on its counter and key alone, so a reply does not depend on the batch, on steps or on what was reused.
 * 32-bit integer arithmetic only: the same on every machine.
 */
const ROUNDS = 10
const MULTIPLIER_0 = 0xd2511f53
const MULTIPLIER_1 = 0xcd9e8d57
const WEYL_0 = 0x9e3779b9
const WEYL_1 = 0xbb67ae85

/** Four 32-bit words for a counter of four words and a key of two. */
export function philox(counter: readonly [number, number, number, number], key: readonly [number, number]): Words {
  let [c0, c1, c2, c3] = counter
  let [k0, k1] = key
  for (let round = 0; round < ROUNDS; round++) {
    const high0 = multiplyHigh(MULTIPLIER_0, c0)
    const low0 = Math.imul(MULTIPLIER_0, c0)
    const high1 = multiplyHigh(MULTIPLIER_1, c2)
    const low1 = Math.imul(MULTIPLIER_1, c2)
    c0 = high1 ^ c1 ^ k0
    c1 = low1
    c2 = high0 ^ c3 ^ k1
    c3 = low0
    k0 = (k0 + WEYL_0) | 0
    k1 = (k1 + WEYL_1) | 0
  }
  return [c0 >>> 0, c1 >>> 0, c2 >>> 0, c3 >>> 0]
}

type Words = [number, number, number, number]

/** Upper 32 bits of the product of two unsigned 32-bit numbers. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff
  const aHigh = a >>> 16
  const bLow = b & 0xffff
  const bHigh = b >>> 16
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16)
  const cross = aLow * bHigh + (middle & 0xffff)
  return (aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(cross / 0x10000)) | 0
}

/** Uniform in the open interval (0, 1), 52 bits, for one (seed, position, token). `seed` is any safe integer. */
export function uniform(seed: number, position: number, token: number): number {
  const key = [seed | 0, Math.floor(seed / 0x1_0000_0000) | 0] as const
  const [a, b] = philox([token, position, 0, 0], key)
  return ((a >>> 6) * 0x400_0000 + (b >>> 6) + 0.5) / 2 ** 52
}

/** Standard Gumbel noise: argmax of log p + gumbel draws from p. Float64, because less cuts the tail (arXiv 2409.02908). */
export function gumbel(seed: number, position: number, token: number): number {
  return -Math.log(-Math.log(uniform(seed, position, token)))
}
