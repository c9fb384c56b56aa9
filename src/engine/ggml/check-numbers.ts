/** Plain arithmetic that the kernel's ops are compared with. */

/** Throws a sentence where a number is off by more than `tolerance` of the largest expected one. */
export function compareTo(
  name: string,
  got: Float32Array | undefined,
  expected: (i: number) => number,
  { length, tolerance }: { length: number; tolerance: number },
): void {
  const wanted = Float64Array.from({ length }, (_, i) => expected(i))
  const most = wanted.reduce((top, value) => Math.max(top, Math.abs(value)), 0)
  const right = got?.length === length && got.every((y, i) => Math.abs(y - (wanted[i] ?? 0)) <= tolerance * most)
  if (!right) refuse(name)
}

export function refuse(name: string): never {
  throw new Error(`The kernel of native/ computes ${name} wrongly on this processor: please report it.`)
}

/** Row `row` of weights times column `column` of x, both of so many numbers. */
export function dot(weights: Float32Array, row: number, x: Float32Array, column: number, from: number): number {
  let sum = 0
  for (let k = 0; k < from; k++) sum += (weights[row * from + k] ?? 0) * (x[column * from + k] ?? 0)
  return sum
}

/** x / √(mean(x²) + ε) · weights. */
export function normed(x: Float32Array, weights: Float32Array, epsilon: number): Float32Array {
  const scale = 1 / Math.sqrt(x.reduce((sum, value) => sum + value * value, 0) / x.length + epsilon)
  return x.map((value, i) => value * scale * (weights[i] ?? 0))
}

export function silu(x: number): number {
  return x / (1 + Math.exp(-x))
}

/** Numbers between -1 and 1 that do not cancel one another in sums, as waves would. */
export function noise(length: number, seed: number): Float32Array {
  const out = new Float32Array(length)
  let state = seed
  for (let i = 0; i < length; i++) {
    // Numerical Recipes' generator of 32 bits: sines of so many numbers would take longer than the kernel.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    out[i] = state / 2 ** 31
  }
  return out
}
