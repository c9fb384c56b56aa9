/**
 * Splits a forward's prompt rows among those who still read their prompt: nobody gets more than it needs, and what one
 * leaves goes to the others, so a long prompt never holds up short ones. Everyone gets at least one row.
 */
export function shareRows(needs: readonly number[], budget: number): number[] {
  const shares = needs.map(() => 0)
  const order = needs.map((need, i) => ({ need, i })).sort((a, b) => a.need - b.need || a.i - b.i)
  let left = budget
  for (const [k, { need, i }] of order.entries()) {
    const share = Math.max(1, Math.min(need, Math.floor(left / (order.length - k))))
    shares[i] = share
    left -= share
  }
  return shares
}
