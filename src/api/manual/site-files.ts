import { escape } from '../pages/page.ts'
import type { Manual } from './open-manual.ts'
import { renderMarkdown } from './render-markdown.ts'
import { addressOf } from './render.ts'

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** https://www.sitemaps.org/protocol.html, with the pictures of each page. */
export function renderSitemap({ pages }: Manual, baseUrl: string): string {
  const urls = pages.map((page) => {
    const pictures = [...renderMarkdown(page.markdown, baseUrl).html.matchAll(/<img src="([^"]+)"/g)].map(
      ([, src = '']) => `<image:image><image:loc>${escape(baseUrl)}${src}</image:loc></image:image>`,
    )
    const updated = page.updated === undefined ? '' : `<lastmod>${page.updated}</lastmod>`
    return `<url><loc>${escape(baseUrl + addressOf(page))}</loc>${updated}${pictures.join('')}</url>`
  })
  return `${XML}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
${urls.join('\n')}
<url><loc>${escape(baseUrl)}/docs/api/</loc></url>
</urlset>
`
}

/** Atom, RFC 4287: the pages that tell a day, the newest first. */
export function renderFeed({ pages }: Manual, baseUrl: string): string {
  const dated = pages.filter((page) => page.updated !== undefined).toSorted((a, b) => compare(b.updated, a.updated))
  const entries = dated.map(
    (page) => `<entry><title>${escape(page.title)}</title><id>${escape(baseUrl + addressOf(page))}</id>
<link href="${escape(baseUrl + addressOf(page))}"/><updated>${page.updated}T00:00:00Z</updated><published>${page.published}T00:00:00Z</published><summary>${escape(page.description)}</summary></entry>`,
  )
  return `${XML}<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<title>Unmask manual</title><id>${escape(baseUrl)}/docs/</id><link href="${escape(baseUrl)}/docs/"/><link rel="self" href="${escape(baseUrl)}/docs/feed.xml"/>
<updated>${dated[0]?.updated ?? '1970-01-01'}T00:00:00Z</updated><author><name>Unmask</name></author>
${entries.join('\n')}
</feed>
`
}

/** Crawlers may read the manual; searches and stored copies of other sites' pages are not for them. */
export function renderRobots(baseUrl: string): string {
  return `User-agent: *\nAllow: /\nDisallow: /api/\nDisallow: /copy/\nDisallow: /icon/\nDisallow: /search\nDisallow: /thumb/\nDisallow: /v1/\n\nSitemap: ${baseUrl}/sitemap.xml\n`
}

function compare(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0
}
