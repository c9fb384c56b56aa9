import type { DocumentsReader, PageRow } from '../documents/documents-reader.ts'
import { oneLine } from './snippet.ts'

export type DeepLink = { name: string; url: string; snippet: string }

const LINKS_MAX = 6
const LINKS_MIN = 2
const NAME_MAX = 50
const SNIPPET_MAX = 160
/** Addresses looked up for one answer. */
const LOOKED_UP_MAX = 40
const CHORES =
  /\b(?:log ?in|sign ?(?:in|up)|register|cookie|privacy|imprint|impressum|terms|rss|feed|login|password|subscribe)\b|登录|注册/i

/** The main places of a site, as its home page's navigation names them: pages that we hold, of the same host; fewer than two are none. */
export function findDeepLinks(documents: DocumentsReader, home: PageRow): DeepLink[] {
  const links = documents.findLinks(home.id)
  const named = links.filter(([url, anchor]) => {
    const name = oneLine(anchor)
    return (
      name !== '' && name.length <= NAME_MAX && !CHORES.test(name) && URL.parse(url)?.host === URL.parse(home.url)?.host
    )
  })
  named.sort((a, b) => b[2] - a[2])
  const found: DeepLink[] = []
  const seen = new Set<string>()
  for (const [url, anchor] of named.slice(0, LOOKED_UP_MAX)) {
    const page = documents.findByUrl(url)
    const name = oneLine(anchor)
    if (page === undefined || page.gone || page.id === home.id || seen.has(name.toLowerCase())) continue
    seen.add(name.toLowerCase())
    found.push({ name, url: page.url, snippet: shortOf(documents, page) })
    if (found.length === LINKS_MAX) break
  }
  return found.length < LINKS_MIN ? [] : found
}

function shortOf(documents: DocumentsReader, page: PageRow): string {
  const body = documents.findBody(page.id)
  const text = oneLine((body?.description === '' ? body.text.slice(0, 1_000) : body?.description) ?? '')
  if (text.length <= SNIPPET_MAX) return text
  const space = text.lastIndexOf(' ', SNIPPET_MAX - 1)
  return `${text.slice(0, space > SNIPPET_MAX / 2 ? space : SNIPPET_MAX - 1)}…`
}
