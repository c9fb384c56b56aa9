/** Root of the mean squared difference over the root of the mean square, of all rows together; banned tokens are left out. */
export function relativeRms(rows: readonly ArrayLike<number>[], expected: readonly ArrayLike<number>[]): number {
  let [difference, size] = [0, 0]
  for (const [i, row] of rows.entries()) {
    for (let token = 0; token < row.length; token++) {
      const got = row[token] ?? Number.NaN
      const wanted = expected[i]?.[token] ?? Number.NaN
      if (got === -Infinity) continue
      difference += (got - wanted) ** 2
      size += wanted ** 2
    }
  }
  return Math.sqrt(difference / size)
}

export function logitsOf(rows: readonly { logits?: Float32Array }[]): Float32Array[] {
  return rows.map((row) => row.logits ?? new Float32Array())
}
