/**
 * The word of `words` that `typed` most likely meant, or undefined where none is near: at most a third of the letters
 * (and at least one) may differ, a swap of neighbours counting once (optimal string alignment distance).
 */
export function nearestWord(typed: string, words: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(typed.length / 3))
  let best: string | undefined
  let bestDistance = limit + 1
  for (const word of words) {
    const distance = editDistance(typed.toLowerCase(), word.toLowerCase())
    if (distance < bestDistance) {
      best = word
      bestDistance = distance
    }
  }
  return best
}

function editDistance(a: string, b: string): number {
  let older: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min(cell(above, j) + 1, cell(row, j - 1) + 1, cell(above, j - 1) + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) least = Math.min(least, cell(older, j - 2) + 1)
      row.push(least)
    }
    older = above
    above = row
  }
  return cell(above, b.length)
}

function cell(row: readonly number[], j: number): number {
  return row[j] ?? Infinity
}
