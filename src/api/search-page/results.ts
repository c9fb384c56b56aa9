import type { ImageResult, PageResult, VideoResult } from '../../search/search.ts'
import { thumbnailSize } from '../../search/pictures.ts'
import { escape } from '../pages/page.ts'
import { displayUrl, publishedForm } from '../web-search/forms.ts'
import type { Links } from '../web-search/links.ts'
import { anchorOf } from '../web-search/render.ts'
import { markWords } from './mark-words.ts'

export type Shown = { query: string; links: Links; now: number }

export function renderPageResult(page: PageResult, { query, links }: Shown): string {
  const icon =
    page.iconUrl === undefined
      ? ''
      : `<img src="${escape(links.icon(page.iconUrl))}" alt="" width="18" height="18" loading="lazy">`
  const site = escape(page.siteName ?? URL.parse(page.url)?.host ?? '')
  const lang = page.language === undefined ? '' : ` lang="${escape(page.language)}"`
  const deep = page.deepLinks.map(
    (link) => `<li><a href="${outward(link.url)}" rel="noreferrer">${escape(link.name)}</a></li>`,
  )
  return `<li class="result"><p class="site">${icon}<span>${site}</span> <span class="url">${escape(displayUrl(page.url))}</span></p>
<h2><a class="hit" href="${outward(page.url)}" rel="noreferrer"${lang}>${escape(page.title === '' ? page.url : page.title)}</a></h2>
<p class="snippet"${lang}>${day(page.published)}${markWords(page.snippet, query)}</p>
${deep.length === 0 ? '' : `<ul class="deep">${deep.join('')}</ul>`}
<p class="more"><a href="${escape(links.copy(page.copyId))}" aria-label="Stored copy of ${escape(page.title)}">Stored copy</a></p></li>`
}

export function renderImageGrid(images: readonly ImageResult[], { links }: Shown): string {
  const items = images.map((image) => {
    const name = image.name === '' ? 'Image' : image.name
    const size = image.width === undefined || image.height === undefined ? '' : `${image.width} × ${image.height}`
    const host = URL.parse(image.hostPageUrl)?.host ?? ''
    return `<li id="${anchorOf(image.contentUrl)}"><a class="hit" href="${outward(image.hostPageUrl)}" rel="noreferrer">
<img src="${escape(links.thumbnail(image.contentUrl))}" alt=""${pixels(image)} loading="lazy"><span class="name">${escape(name)}</span></a>
<span class="quiet">${escape([host, size].filter((part) => part !== '').join(' · '))}</span></li>`
  })
  return `<ul class="images">${items.join('\n')}</ul>`
}

/** `level`: of the heading, one below what stands over the list. */
export function renderVideoResult(video: VideoResult, { query, links }: Shown, level: 2 | 3): string {
  const thumbnail =
    video.thumbnailUrl === undefined
      ? '<span class="still" aria-hidden="true">▶</span>'
      : `<img class="still" src="${escape(links.thumbnail(video.thumbnailUrl))}" alt="" loading="lazy">`
  const facts = [
    video.durationS === undefined ? '' : clock(video.durationS),
    video.publisher ?? video.creator ?? URL.parse(video.hostPageUrl)?.host ?? '',
    video.viewCount === undefined ? '' : `${video.viewCount.toLocaleString('en')} views`,
  ].filter((fact) => fact !== '')
  return `<li id="${anchorOf(video.contentUrl)}">${thumbnail}<div><h${level}><a class="hit" href="${outward(video.hostPageUrl)}" rel="noreferrer">${escape(video.name)}</a></h${level}>
<p class="quiet">${escape(facts.join(' · '))}</p><p class="snippet">${day(video.published)}${markWords(shorten(video.description), query)}</p></div></li>`
}

/** Only the web's own schemes become links, whatever a page told. */
function outward(url: string): string {
  return /^https?:\/\//i.test(url) ? escape(url) : '#'
}

function day(published: { at: number; dayOnly: boolean } | undefined): string {
  const form = publishedForm(published)
  if (form === null) return ''
  return `<time datetime="${form}">${form.slice(0, 10)}</time> `
}

/** Known sizes keep the page from jumping while pictures come. */
function pixels({ width, height }: { width?: number; height?: number }): string {
  if (width === undefined || height === undefined || width < 1 || height < 1) return ''
  const size = thumbnailSize(width, height)
  return ` width="${size.width}" height="${size.height}"`
}

function clock(seconds: number): string {
  const whole = Math.round(seconds)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const [hours = 0, minutes = 0, rest = 0] = parts
  const tail = `${String(rest).padStart(2, '0')}`
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`
}

function shorten(text: string): string {
  return text.length <= 220 ? text : `${text.slice(0, 219).trimEnd()}…`
}
