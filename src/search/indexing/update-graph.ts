import type { DocumentsReader } from '../documents/documents-reader.ts'
import type { DocumentsWriter } from '../documents/documents-writer.ts'
import { rankNodes, type Edges } from './rank-nodes.ts'
import { AnchorTally } from './anchor-tally.ts'

const WRITE_BATCH = 500

/**
 * Reads all links, ranks hosts and pages by them, gathers what links call a page, and keeps both beside the pages. Answers how
 * many pages there are. Authority is 0 to 1: 0 for a page nobody names, 1 for the most named one, by the logarithm of its rank.
 */
export function updateGraph(documents: DocumentsReader, writer: DocumentsWriter): number {
  const pages = documents.all('SELECT id, url, host FROM pages WHERE removed = 0 ORDER BY id')
  const ids = Float64Array.from(pages, (page) => Number(page['id']))
  const hosts = Int32Array.from(pages, (page) => Number(page['host']))
  const placeOf = new Map(pages.map((page, place) => [String(page['url']), place]))
  const anchors = new AnchorTally()
  const pageEdges: Edges = { from: [], to: [] }
  const hostEdges: Edges = { from: [], to: [] }
  for (const [from, id] of ids.entries()) {
    for (const [url, anchor] of documents.findLinks(id)) {
      const to = placeOf.get(url)
      if (to === undefined) continue
      anchors.add(to, anchor)
      pageEdges.from.push(from)
      pageEdges.to.push(to)
      if (hosts[from] !== hosts[to]) {
        hostEdges.from.push(hosts[from] ?? 0)
        hostEdges.to.push(hosts[to] ?? 0)
      }
    }
  }
  const pageRank = toAuthority(rankNodes(ids.length, pageEdges))
  const hostRank = toAuthority(rankNodes(1 + hosts.reduce((most, host) => Math.max(most, host), 0), hostEdges))
  const rows = Array.from(ids, (id, place) => ({ id, authority: pageRank[place] ?? 0, anchors: anchors.textOf(place) }))
  const hostRows = Array.from(hostRank, (authority, id) => ({ id, authority })).filter(({ id }) => id > 0)
  writer.setGraph(rows.slice(0, WRITE_BATCH), hostRows)
  for (let at = WRITE_BATCH; at < rows.length; at += WRITE_BATCH) writer.setGraph(rows.slice(at, at + WRITE_BATCH), [])
  return ids.length
}

function toAuthority(ranks: Float64Array): Float64Array {
  let [least, most] = [Infinity, 0]
  for (const rank of ranks) [least, most] = [Math.min(least, rank), Math.max(most, rank)]
  const span = Math.log(most) - Math.log(least)
  return ranks.map((rank) => (span < 1e-9 ? 0 : (Math.log(rank) - Math.log(least)) / span))
}
