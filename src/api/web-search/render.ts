import { createHash } from 'node:crypto'
import { embedHtml } from '../../search/media/players.ts'
import { thumbnailSize } from '../../search/pictures.ts'
import type { ImageResult, PageResult, SearchAnswer, SearchRequest, VideoResult } from '../../search/search.ts'
import { contentSize, displayUrl, duration, isSuperfresh, publishedForm, timestamp } from './forms.ts'
import type { Links } from './links.ts'

export type Rendering = { request: SearchRequest; links: Links; now: number }

/** The SearchResponse of the contract. What is not known is null, or left out where it would be a number. */
export function renderSearchResponse(answer: SearchAnswer, rendering: Rendering) {
  const { request, links } = rendering
  const { pages, images, videos } = answer
  return {
    _type: 'SearchResponse',
    queryContext: { originalQuery: request.query },
    ...(request.wants.pages
      ? {
          webPages: {
            webSearchUrl: links.page('web'),
            totalEstimatedMatches: pages.total,
            value: pages.results.map((page, i) => renderPage(page, i, rendering)),
            someResultsRemoved: pages.someRemoved,
          },
        }
      : {}),
    ...(images.results.length > 0 ? { images: renderImages(images.results, rendering) } : {}),
    ...(videos.results.length > 0 ? { videos: renderVideos(answer.videos, rendering) } : {}),
  }
}

function renderPage(page: PageResult, i: number, { links }: Rendering) {
  return {
    id: links.id(`WebPages.${i}`),
    name: page.title,
    url: page.url,
    displayUrl: displayUrl(page.url),
    snippet: page.snippet,
    ...(page.summary === undefined ? {} : { summary: page.summary }),
    siteName: page.siteName ?? null,
    siteIcon: page.iconUrl === undefined ? null : links.icon(page.iconUrl),
    datePublished: publishedForm(page.published),
    dateLastCrawled: timestamp(page.crawledAt),
    cachedPageUrl: links.copy(page.copyId),
    language: page.language ?? null,
    isFamilyFriendly: page.familyFriendly,
    isNavigational: page.navigational,
    deepLinks: page.deepLinks,
  }
}

export function renderImages(images: readonly ImageResult[], rendering: Rendering) {
  const { links } = rendering
  return {
    id: links.id('Images'),
    readLink: links.readLink('images'),
    webSearchUrl: links.page('images'),
    isFamilyFriendly: images.every((image) => image.familyFriendly),
    value: images.map((image) => renderImage(image, rendering)),
  }
}

function renderImage(image: ImageResult, { links }: Rendering) {
  return {
    webSearchUrl: links.page('images', anchorOf(image.contentUrl)),
    name: image.name,
    thumbnailUrl: links.thumbnail(image.contentUrl),
    datePublished: publishedForm(image.published),
    contentUrl: image.contentUrl,
    hostPageUrl: image.hostPageUrl,
    contentSize: contentSize(image.bytes),
    encodingFormat: image.format ?? null,
    hostPageDisplayUrl: displayUrl(image.hostPageUrl),
    ...sizeOf(image),
    thumbnail: thumbnailOf(image),
  }
}

export function renderVideos({ total, results }: SearchAnswer['videos'], rendering: Rendering) {
  const { links } = rendering
  return {
    id: links.id('Videos'),
    readLink: links.readLink('videos'),
    webSearchUrl: links.page('videos'),
    isFamilyFriendly: results.every((video) => video.familyFriendly),
    scenario: total === 1 ? 'SingleDominantVideo' : 'List',
    value: results.map((video) => renderVideo(video, rendering)),
  }
}

function renderVideo(video: VideoResult, { links, now }: Rendering) {
  const embed = video.player === undefined ? null : (embedHtml(video.player, sizeOf(video)) ?? null)
  return {
    webSearchUrl: links.page('videos', anchorOf(video.contentUrl)),
    name: video.name,
    description: video.description,
    thumbnailUrl: video.thumbnailUrl === undefined ? null : links.thumbnail(video.thumbnailUrl),
    publisher: video.publisher === undefined ? null : [{ name: video.publisher }],
    creator: video.creator === undefined ? null : { name: video.creator },
    contentUrl: video.contentUrl,
    hostPageUrl: video.hostPageUrl,
    encodingFormat: video.format ?? null,
    hostPageDisplayUrl: displayUrl(video.hostPageUrl),
    ...sizeOf(video),
    duration: duration(video.durationS),
    motionThumbnailUrl: video.motionThumbnailUrl ?? null,
    embedHtml: embed,
    allowHttpsEmbed: embed !== null,
    ...(video.viewCount === undefined ? {} : { viewCount: video.viewCount }),
    thumbnail: video.thumbnailUrl === undefined ? null : thumbnailOf(video),
    allowMobileEmbed: embed !== null,
    isSuperfresh: isSuperfresh(video.published, now),
    datePublished: publishedForm(video.published),
  }
}

type Sized = { width?: number; height?: number }

function sizeOf({ width, height }: Sized): Sized {
  return { ...(width === undefined ? {} : { width }), ...(height === undefined ? {} : { height }) }
}

function thumbnailOf({ width, height }: Sized): { width: number; height: number } | null {
  return width === undefined || height === undefined ? null : thumbnailSize(width, height)
}

/** Names an image or video on the results page. */
export function anchorOf(contentUrl: string): string {
  return `r${createHash('sha256').update(contentUrl).digest('base64url').slice(0, 12)}`
}
