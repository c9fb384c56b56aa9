import type { SearchAnswer } from '../../search/search.ts'
import { escape, renderPage } from '../pages/page.ts'
import type { Links } from '../web-search/links.ts'
import { renderFilters } from './filters.ts'
import { renderPaging } from './paging.ts'
import { addressOf, PAGE_COUNT, type Asked } from './read-asked.ts'
import { renderImageGrid, renderPageResult, renderVideoResult, type Shown } from './results.ts'

const HEAD = `<link rel="stylesheet" href="/search/style.css">
<link rel="search" type="application/opensearchdescription+xml" title="Unmask" href="/search/opensearch.xml">
<script src="/search/keys.js" defer></script>
`
const NOTHING: Asked = { query: '', kind: 'web', freshness: 'noLimit', site: '', page: 1 }
/** Beside the pages on the first page. */
const STRIP = { images: 6, videos: 3 }

export type Results = { asked: Asked; answer: SearchAnswer; links: Links; now: number }

export function renderEmptySearch(pages: number): string {
  const held = `${pages.toLocaleString('en')} ${pages === 1 ? 'page is' : 'pages are'} in the index of this server.`
  return frame(
    'Search',
    `<main id="main" class="welcome"><h1>Search</h1>${renderFilters(NOTHING)}<p class="quiet">${held}</p></main>`,
  )
}

export function renderRefused(asked: Asked, message: string): string {
  return frame(
    'Search',
    `<main id="main"><h1 class="unseen">Search</h1>${renderFilters(asked)}<p role="alert" class="alert">${escape(message)}</p></main>`,
  )
}

export function renderResults(results: Results): string {
  const { asked } = results
  const total = totalOf(results)
  const body = { web: renderWeb, images: renderImages, videos: renderVideos }[asked.kind](results)
  return frame(
    `${asked.query} · Search`,
    `<main id="main"><h1 class="unseen">Results for ${escape(asked.query)}</h1>${renderFilters(asked)}
${renderTabs(asked)}
${renderCount(results, total)}
${body}
${renderPaging(asked, total)}
</main>`,
  )
}

function totalOf({ asked, answer }: Results): number {
  return { web: answer.pages, images: answer.images, videos: answer.videos }[asked.kind].total
}

function renderTabs(asked: Asked): string {
  const tabs = (['web', 'images', 'videos'] as const).map((kind) => {
    const text = { web: 'Web', images: 'Images', videos: 'Videos' }[kind]
    const current = kind === asked.kind ? ' aria-current="page"' : ''
    return `<a href="${escape(addressOf(asked, { kind, page: 1 }))}"${current}>${text}</a>`
  })
  return `<nav class="tabs" aria-label="Kinds of results">${tabs.join('')}</nav>`
}

function renderCount({ answer, asked }: Results, total: number): string {
  if (total === 0) return renderNothing(asked)
  const removed =
    asked.kind === 'web' && answer.pages.someRemoved ? ' Some results were left out by the safety filter.' : ''
  const partial = answer.partial ? ' The search was cut short; there may be more.' : ''
  return `<p class="count">${total.toLocaleString('en')} ${total === 1 ? 'result' : 'results'} in ${answer.tookMs.toFixed(0)} ms.${removed}${partial}</p>`
}

function renderNothing(asked: Asked): string {
  const looser: string[] = []
  if (asked.freshness !== 'noLimit')
    looser.push(`<a href="${escape(addressOf(asked, { freshness: 'noLimit', page: 1 }))}">search at any time</a>`)
  if (asked.site !== '')
    looser.push(`<a href="${escape(addressOf(asked, { site: '', page: 1 }))}">search all sites</a>`)
  const advice =
    looser.length === 0 ? 'Try fewer or other words.' : `Try fewer or other words, or ${looser.join(', or ')}.`
  return `<p class="count">Nothing was found for <strong>${escape(asked.query)}</strong>. ${advice}</p>`
}

function shownOf({ asked, links, now }: Results): Shown {
  return { query: asked.query, links, now }
}

function renderWeb(results: Results): string {
  const { answer, asked } = results
  const shown = shownOf(results)
  const images = answer.images.results.slice(0, STRIP.images)
  const videos = answer.videos.results.slice(0, STRIP.videos)
  const strip = (title: string, kind: 'images' | 'videos', html: string): string =>
    `<section class="strip" aria-labelledby="${kind}"><h2 id="${kind}"><a href="${escape(addressOf(asked, { kind, page: 1 }))}">${title}</a></h2>${html}</section>`
  return `${images.length === 0 ? '' : strip('Images', 'images', renderImageGrid(images, shown))}
<ol class="results" start="${(asked.page - 1) * PAGE_COUNT.web + 1}">${answer.pages.results.map((page) => renderPageResult(page, shown)).join('\n')}</ol>
${videos.length === 0 ? '' : strip('Videos', 'videos', `<ul class="videos">${videos.map((video) => renderVideoResult(video, shown, 3)).join('')}</ul>`)}`
}

function renderImages(results: Results): string {
  return renderImageGrid(results.answer.images.results, shownOf(results))
}

function renderVideos(results: Results): string {
  const items = results.answer.videos.results.map((video) => renderVideoResult(video, shownOf(results), 2))
  return `<ul class="videos">${items.join('\n')}</ul>`
}

function frame(title: string, main: string): string {
  return renderPage(`${escapeTitle(title)} · Unmask`, `<div class="columns searching">${main}</div>`, {
    head: HEAD,
    nav: 'search',
  })
}

/** A title bar is one short line. */
function escapeTitle(title: string): string {
  return title.length <= 120 ? title : `${title.slice(0, 120)}…`
}
