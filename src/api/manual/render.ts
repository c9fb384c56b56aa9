import { escape, renderPage } from '../pages/page.ts'
import type { Manual, MediaFile } from './open-manual.ts'
import type { PageSource } from './page-source.ts'
import { renderMarkdown } from './render-markdown.ts'

const PUBLISHER = 'Unmask'

export function addressOf(page: PageSource): string {
  return page.name === '' ? '/docs/' : `/docs/${page.name}/`
}

/** One page in the site's frame, with what machines want to know of it: description, dates, language, pictures, video. */
export function renderManualPage(page: PageSource, manual: Manual, baseUrl: string): string {
  const { html, sections } = renderMarkdown(page.markdown, baseUrl)
  const contents = manual.pages.flatMap((other) =>
    other.order === undefined
      ? []
      : [
          `<li><a href="${addressOf(other)}"${other === page ? ' aria-current="page"' : ''}${other.language === page.language ? '' : ` hreflang="${other.language}" lang="${other.language}"`}>${escape(other.title)}</a></li>`,
        ],
  )
  const here = sections.map(({ id, text }) => `<li><a href="#${id}">${escape(text)}</a></li>`)
  const dates =
    page.published === undefined
      ? ''
      : `<footer class="kind">Published <time datetime="${page.published}">${page.published}</time>${page.updated === page.published ? '' : `, updated <time datetime="${page.updated}">${page.updated}</time>`}</footer>`
  return renderPage(
    page.name === '' ? 'Unmask manual' : `${page.title} · Unmask manual`,
    `<div class="columns wide">
<nav class="contents" aria-label="Contents"><h2>Manual</h2><ul>${contents.join('')}<li><a href="/docs/api/">API reference</a></li></ul>${here.length < 2 ? '' : `<h2>On this page</h2><ul class="here">${here.join('')}</ul>`}</nav>
<main id="main"><article>
${html}${renderVideo(page)}${dates}
</article></main></div>`,
    { nav: 'manual', head: renderHead(page, manual, baseUrl), language: page.language },
  )
}

function renderVideo({ video, videoTitle }: PageSource): string {
  if (video === undefined) return ''
  return `<figure class="picture" id="video"><video controls preload="none" width="960" height="540" poster="/docs/media/${video}.png" aria-label="${escape(videoTitle ?? '')}"><source src="/docs/media/${video}.webm" type="video/webm"></video><figcaption>${escape(videoTitle ?? '')}</figcaption></figure>`
}

function renderHead(page: PageSource, manual: Manual, baseUrl: string): string {
  const url = `${baseUrl}${addressOf(page)}`
  const dates = [
    ...(page.published === undefined ? [] : [`<meta property="article:published_time" content="${page.published}">`]),
    ...(page.updated === undefined ? [] : [`<meta property="article:modified_time" content="${page.updated}">`]),
  ]
  // `<` cannot end the element, whatever a title holds.
  const facts = JSON.stringify(describe(page, manual, baseUrl)).replaceAll('<', '\\u003c')
  return `<link rel="stylesheet" href="/docs/media/manual.css">
<link rel="canonical" href="${escape(url)}">
<link rel="alternate" type="application/atom+xml" title="Unmask manual" href="/docs/feed.xml">
<meta name="description" content="${escape(page.description)}">
<meta property="og:site_name" content="Unmask manual">
<meta property="og:title" content="${escape(page.title)}">
<meta property="og:type" content="article">
<meta property="og:url" content="${escape(url)}">
${dates.join('\n')}
<script type="application/ld+json">${facts}</script>
`
}

/** schema.org: a TechArticle, and the video where there is one. */
function describe(page: PageSource, manual: Manual, baseUrl: string): object {
  const publisher = { '@type': 'Organization', name: PUBLISHER }
  const author = page.author === undefined ? publisher : { '@type': 'Organization', name: page.author }
  const article = {
    '@type': 'TechArticle',
    headline: page.title,
    description: page.description,
    inLanguage: page.language,
    mainEntityOfPage: `${baseUrl}${addressOf(page)}`,
    ...(page.published === undefined ? {} : { datePublished: page.published, dateModified: page.updated }),
    author,
    publisher,
  }
  const { video } = page
  const film = {
    '@type': 'VideoObject',
    name: page.videoTitle,
    description: page.description,
    contentUrl: `${baseUrl}/docs/media/${video}.webm`,
    thumbnailUrl: `${baseUrl}/docs/media/${video}.png`,
    encodingFormat: 'video/webm',
    duration: `PT${page.videoSeconds}S`,
    width: 960,
    height: 540,
    uploadDate: page.published,
    inLanguage: page.language,
    creator: author,
    publisher,
  }
  const films = video !== undefined && manual.media(`${video}.webm`) !== undefined ? [film] : []
  return { '@context': 'https://schema.org', '@graph': [article, ...films, ...describePictures(page, manual, baseUrl)] }
}

/** Pictures of a page with the size of their files, which no `img` can tell. */
function describePictures({ markdown, published }: PageSource, manual: Manual, baseUrl: string): object[] {
  return [...markdown.matchAll(/!\[([^\]]*)\]\(media\/([\w.-]+)/g)].flatMap(([, name, file = '']) => {
    const picture = manual.media(file)
    if (picture === undefined) return []
    return describePicture(`${baseUrl}/docs/media/${file}`, name, picture, published)
  })
}

function describePicture(
  url: string,
  name: string | undefined,
  picture: MediaFile,
  published: string | undefined,
): object {
  const [, width, height] =
    /<svg[^>]* width="(\d+)" height="(\d+)"/.exec(Buffer.from(picture.bytes).toString('latin1')) ?? []
  return {
    '@type': 'ImageObject',
    name,
    contentUrl: url,
    contentSize: `${picture.bytes.length} B`,
    encodingFormat: picture.type,
    ...(width === undefined ? {} : { width: Number(width), height: Number(height) }),
    ...(published === undefined ? {} : { datePublished: published }),
  }
}
