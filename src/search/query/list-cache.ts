import type { SearchRequest } from '../search.ts'
import type { CandidateList } from './candidate-list.ts'

const LISTS_MAX = 500
const KEPT_MS = 10 * 60_000

type Kept = { list: CandidateList; watermark: number; at: number }

/**
 * The lists that first pages were cut from, so that later pages are cut from the same ones and totals stay. A first page is always
 * of the newest index; a later page goes on with the list of the first for ten minutes.
 */
export class ListCache {
  readonly #lists = new Map<string, Kept>()

  find(request: SearchRequest, watermark: number, nowMs: number): CandidateList | undefined {
    const key = keyOf(request)
    const kept = this.#lists.get(key)
    if (kept === undefined || nowMs - kept.at > KEPT_MS) return undefined
    if (request.offset === 0 && kept.watermark !== watermark) return undefined
    this.#lists.delete(key)
    this.#lists.set(key, kept)
    return kept.list
  }

  /** A list that the deadline cut short is not kept. */
  put(request: SearchRequest, list: CandidateList, watermark: number, nowMs: number): void {
    if (list.partial) return
    const key = keyOf(request)
    this.#lists.delete(key)
    this.#lists.set(key, { list, watermark, at: nowMs })
    if (this.#lists.size <= LISTS_MAX) return
    const [oldest] = this.#lists.keys()
    if (oldest !== undefined) this.#lists.delete(oldest)
  }
}

/** All that the list depends on; the moving ends of a freshness by hours are rounded, or page 2 would ask for another one. */
function keyOf({ query, freshness, include, exclude, wants }: SearchRequest): string {
  const minutes = freshness === undefined ? null : [freshness.from, freshness.to].map((at) => Math.round(at / KEPT_MS))
  return JSON.stringify([query, minutes, include, exclude, wants])
}
