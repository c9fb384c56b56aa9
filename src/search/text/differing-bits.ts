/** In how many of 64 bits two simhashes differ. */
export function differingBits(a: readonly [number, number], b: readonly [number, number]): number {
  return ones(a[0] ^ b[0]) + ones(a[1] ^ b[1])
}

function ones(word: number): number {
  let left = word
  let count = 0
  for (; left !== 0; count++) left &= left - 1
  return count
}
