import type { MergeTable } from './merge-table.ts'

/** Up to so many symbols looking at all pairs each time is faster than a heap. */
const SHORT = 24

/** Byte-pair encoding of one word: the best-ranked pair merges first, the leftmost of equals. Returns the ids. */
export function mergeWord(bytes: Uint8Array, table: MergeTable): number[] {
  const symbols: number[] = []
  for (const byte of bytes) {
    const id = table.byteTokens[byte] ?? -1
    // A byte that the vocabulary cannot say is left out, as Hugging Face's tokenizers do.
    if (id >= 0) symbols.push(id)
  }
  return symbols.length <= SHORT ? mergeShort(symbols, table) : mergeLong(symbols, table)
}

function mergeShort(symbols: number[], table: MergeTable): number[] {
  while (symbols.length > 1) {
    let best = Infinity
    let place = 0
    for (let i = 0; i + 1 < symbols.length; i++) {
      const rank = table.rank(symbols[i] ?? 0, symbols[i + 1] ?? 0)
      if (rank >= 0 && rank < best) {
        best = rank
        place = i
      }
    }
    if (best === Infinity) break
    symbols.splice(place, 2, table.made[best] ?? 0)
  }
  return symbols
}

/** Near-linear: a heap of pairs by (rank, place), a linked list of symbols; pairs that are gone are skipped when they come up. */
function mergeLong(symbols: number[], table: MergeTable): number[] {
  const count = symbols.length
  const ids = Int32Array.from(symbols)
  const next = Int32Array.from({ length: count }, (_, i) => i + 1)
  const previous = Int32Array.from({ length: count }, (_, i) => i - 1)
  const heap = new PairHeap()
  const offer = (place: number) => {
    const right = next[place] ?? count
    if (place < 0 || right >= count) return
    const rank = table.rank(ids[place] ?? 0, ids[right] ?? 0)
    if (rank >= 0) heap.push(rank * 2 ** 32 + place)
  }
  for (let i = 0; i + 1 < count; i++) offer(i)
  for (let key = heap.pop(); key !== undefined; key = heap.pop()) {
    const rank = Math.floor(key / 2 ** 32)
    const place = key % 2 ** 32
    const left = ids[place] ?? -1
    const right = next[place] ?? count
    if (left < 0 || right >= count || table.rank(left, ids[right] ?? 0) !== rank) continue
    ids[place] = table.made[rank] ?? 0
    ids[right] = -1
    const after = next[right] ?? count
    next[place] = after
    if (after < count) previous[after] = place
    offer(previous[place] ?? -1)
    offer(place)
  }
  return Array.from(ids).filter((id) => id >= 0)
}

/** Smallest number first. */
class PairHeap {
  private keys = new Float64Array(1024)
  private count = 0

  push(key: number): void {
    if (this.count === this.keys.length) {
      const grown = new Float64Array(this.count * 2)
      grown.set(this.keys)
      this.keys = grown
    }
    const { keys } = this
    let at = this.count++
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = keys[parent] ?? 0
      if (above <= key) break
      keys[at] = above
      at = parent
    }
    keys[at] = key
  }

  pop(): number | undefined {
    if (this.count === 0) return undefined
    const { keys } = this
    const top = keys[0]
    const last = keys[--this.count] ?? 0
    let at = 0
    while (true) {
      let child = 2 * at + 1
      if (child >= this.count) break
      if (child + 1 < this.count && (keys[child + 1] ?? 0) < (keys[child] ?? 0)) child++
      const below = keys[child] ?? 0
      if (below >= last) break
      keys[at] = below
      at = child
    }
    keys[at] = last
    return top
  }
}
