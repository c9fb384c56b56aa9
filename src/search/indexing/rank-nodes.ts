/** Edge `i` leads from node `from[i]` to node `to[i]`. */
export type Edges = { from: number[]; to: number[] }

/** The chance to go on along a link rather than to begin anew (Page et al., The PageRank Citation Ranking, 1999). */
const DAMPING = 0.85
const ROUNDS = 25

/** PageRank of every node; the sum is 1. A node without links gives its share to all. */
export function rankNodes(count: number, edges: Edges): Float64Array {
  const degree = new Float64Array(count)
  for (const from of edges.from) degree[from] = (degree[from] ?? 0) + 1
  let ranks = new Float64Array(count).fill(1 / count)
  for (let round = 0; round < ROUNDS; round++) {
    let stranded = 0
    for (let node = 0; node < count; node++) if (degree[node] === 0) stranded += ranks[node] ?? 0
    const next = new Float64Array(count).fill((1 - DAMPING + DAMPING * stranded) / count)
    for (const [edge, from] of edges.from.entries()) {
      const to = edges.to[edge] ?? 0
      next[to] = (next[to] ?? 0) + (DAMPING * (ranks[from] ?? 0)) / (degree[from] ?? 1)
    }
    ranks = next
  }
  return ranks
}
