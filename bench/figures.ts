/** The value below which `share` of the figures lie; NaN of none. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export function median(figures: readonly number[]): number {
  return quantile(figures, 0.5)
}

export function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length
}

export function round(figure: number, digits = 1): number {
  return Number(figure.toFixed(digits))
}
