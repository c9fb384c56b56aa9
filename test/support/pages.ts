import type { PageDocument } from '../../src/search/document.ts'

/** A page as extraction would give it, plain but for what `more` says. */
export function makePage(url: string, text: string, more: Partial<PageDocument> = {}): PageDocument {
  return {
    url,
    host: new URL(url).host,
    fetchedAt: 1_770_000_000_000,
    firstSeenAt: 1_770_000_000_000,
    contentType: 'text/html',
    pageType: 'article',
    title: text.split(/[.。\n]/)[0] ?? '',
    text,
    description: '',
    headings: [],
    language: 'en',
    links: [],
    images: [],
    videos: [],
    adult: 0,
    noindex: false,
    nofollow: false,
    simhash: [0, 0],
    ...more,
  }
}
