import type { PageDocument } from '../../src/search/document.ts'
import { extractPage } from '../../src/search/extract/extract-page.ts'

export const FETCHED_AT = Date.UTC(2026, 5, 1)

type More = { url?: string; headers?: Record<string, string>; lang?: string }

/** The document of a page with this head and body, fetched on 2026-06-01. */
export function extracted(head: string, body: string, more: More = {}): PageDocument {
  const lang = more.lang === undefined ? '' : ` lang="${more.lang}"`
  return extractPage({
    url: more.url ?? 'https://www.example.org/blog/a-page',
    html: `<!doctype html><html${lang}><head>${head}</head><body>${body}</body></html>`,
    contentType: 'text/html',
    headers: more.headers ?? {},
    fetchedAt: FETCHED_AT,
    firstSeenAt: FETCHED_AT,
  })
}

/** A block of JSON-LD. */
export function linkedData(value: object): string {
  return `<script type="application/ld+json">${JSON.stringify(value)}</script>`
}

/** Some sentences of prose, so many paragraphs. */
export function prose(paragraphs: number, word = 'harbour'): string {
  return Array.from(
    { length: paragraphs },
    (_, i) =>
      `<p>Paragraph ${i} tells of the old ${word}, of the boats that lie there in winter, and of the people who mend their nets.</p>`,
  ).join('')
}
