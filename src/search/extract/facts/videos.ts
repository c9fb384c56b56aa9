import type { PublishedAt, VideoRecord } from '../../document.ts'
import { playerOf, playerThumbnailUrl, watchUrl } from '../../media/players.ts'
import { parseDate } from '../dates/parse-date.ts'
import type { Element } from '../dom/element.ts'
import { metaOf, resolve } from './head.ts'
import { isOfType, textValue, urlValues, type Thing } from './linked-data.ts'
import { thingsOf, type Page } from './page.ts'
import { defined, wholeNumber } from './values.ts'

const VIDEOS_MAX = 50
const VIDEO = new Set(['VideoObject', 'VideoObjectSnapshot', 'Clip', 'Movie', 'TVEpisode'])

/** What a record lacks is filled from the page around it. */
export type Around = { title: string; description: string; published: PublishedAt | undefined }

/** Videos of a page, each once, best told first: VideoObject, Open Graph and players cards, `<video>`, frames of known players. */
export function readVideos(page: Page, around: Around): VideoRecord[] {
  const found = new Map<string, VideoRecord>()
  const add = (record: Partial<VideoRecord> & { url: string }): void => {
    const player = playerOf(record.url)
    const key = player === undefined ? record.url : `${player.name} ${player.id}`
    const before = found.get(key)
    if (before === undefined && found.size >= VIDEOS_MAX) return
    const still = player === undefined ? undefined : playerThumbnailUrl(player)
    found.set(key, { ...defined({ thumbnailUrl: still, player }), name: '', description: '', ...record, ...before })
  }
  for (const thing of thingsOf(page)) if (isOfType(thing, VIDEO)) addThing(thing, page, add)
  addMeta(page, add)
  for (const element of page.tree.elements) addElement(element, page, add)
  return [...found.values()].map((record) => withAround(record, around, found.size === 1))
}

function withAround(record: VideoRecord, around: Around, only: boolean): VideoRecord {
  const description = record.description || (only ? around.description : '')
  const published = record.published ?? around.published
  return { ...record, name: record.name || around.title, description, ...defined({ published }) }
}

type Add = (record: Partial<VideoRecord> & { url: string }) => void

function addThing(thing: Thing, page: Page, add: Add): void {
  const at = (name: string): string | undefined =>
    urlValues(thing[name])
      .map((url) => resolve(url, page.head.baseUrl))
      .find((url) => url !== undefined)
  const embed = at('embedUrl')
  const url =
    (embed !== undefined && playerOf(embed) !== undefined ? embed : undefined) ?? at('contentUrl') ?? embed ?? at('url')
  if (url === undefined) return
  const uploaded = parseDate(textValue(thing['uploadDate'] ?? thing['datePublished']) ?? '', {
    monthFirst: true,
    latest: page.fetchedAt + 2 * 86_400_000,
  })
  add({
    url,
    name: textValue(thing['name'], 300) ?? '',
    description: textValue(thing['description'], 2_000) ?? '',
    ...defined({
      thumbnailUrl: at('thumbnailUrl') ?? at('thumbnail'),
      width: wholeNumber(thing['width']),
      height: wholeNumber(thing['height']),
      durationS: parseDuration(textValue(thing['duration'])),
      format: formatOf(textValue(thing['encodingFormat']), url),
      publisher: textValue(thing['publisher'], 100),
      creator: textValue(thing['creator'] ?? thing['author'], 100),
      viewCount: viewsOf(thing),
      published: uploaded === undefined ? undefined : { at: uploaded.at, dayOnly: uploaded.dayOnly, confidence: 0.95 },
    }),
  })
}

function viewsOf(thing: Thing): number | undefined {
  const statistics = [thing['interactionStatistic']].flat().slice(0, 10)
  for (const statistic of statistics) {
    if (statistic === null || typeof statistic !== 'object') continue
    const counter = statistic as Thing
    const kind = JSON.stringify(counter['interactionType'] ?? '')
    if (kind === '""' || /watch|view|play/i.test(kind)) {
      const count = wholeNumber(counter['userInteractionCount'])
      if (count !== undefined) return count
    }
  }
  return wholeNumber(/^\D*([\d.,]+)/.exec(textValue(thing['interactionCount']) ?? '')?.[1])
}

function addMeta(page: Page, add: Add): void {
  const { head } = page
  const url = resolve(
    metaOf(head, 'og:video:secure_url', 'og:video:url', 'og:video', 'twitter:player:stream', 'twitter:player'),
    head.baseUrl,
  )
  if (url === undefined) return
  const type = metaOf(head, 'og:video:type', 'twitter:player:stream:content_type')
  const isFile = (type ?? '').startsWith('video/') || /\.(?:mp4|webm|ogv|m4v|mov|m3u8)(?:\?|$)/i.test(url)
  if (
    !isFile &&
    playerOf(url) === undefined &&
    !/video/i.test(metaOf(head, 'og:type') ?? '') &&
    metaOf(head, 'twitter:card') !== 'player'
  )
    return
  add({
    url,
    name: metaOf(head, 'og:title', 'twitter:title') ?? '',
    description: metaOf(head, 'og:description', 'twitter:description') ?? '',
    ...defined({
      thumbnailUrl: resolve(metaOf(head, 'og:image', 'twitter:image'), head.baseUrl),
      width: wholeNumber(metaOf(head, 'og:video:width', 'twitter:player:width')),
      height: wholeNumber(metaOf(head, 'og:video:height', 'twitter:player:height')),
      durationS: wholeNumber(metaOf(head, 'og:video:duration', 'video:duration')),
      format: isFile ? formatOf(type, url) : undefined,
    }),
  })
}

function addElement(element: Element, page: Page, add: Add): void {
  const { name, attributes } = element
  if (name === 'iframe' || name === 'embed') {
    const url = resolve(attributes['src'] ?? attributes['data-src'] ?? attributes['data-lazy-src'], page.head.baseUrl)
    const player = url === undefined ? undefined : playerOf(url)
    const watch = player === undefined ? undefined : watchUrl(player)
    if (watch !== undefined) add({ url: watch, name: usableTitle(attributes['title']), ...sizeOf(element) })
    return
  }
  if (name !== 'video') return
  const sources = [
    element,
    ...element.children.filter((child) => typeof child !== 'string' && child.name === 'source'),
  ] as Element[]
  const source = sources.find(
    (candidate) =>
      resolve(candidate.attributes['src'] ?? candidate.attributes['data-src'], page.head.baseUrl) !== undefined,
  )
  const url = resolve(source?.attributes['src'] ?? source?.attributes['data-src'], page.head.baseUrl)
  if (url === undefined) return
  add({
    url,
    name: usableTitle(attributes['title'] ?? attributes['aria-label']),
    ...sizeOf(element),
    ...defined({
      thumbnailUrl: resolve(attributes['poster'], page.head.baseUrl),
      format: formatOf(source?.attributes['type'], url),
    }),
  })
}

/** `YouTube video player` is what every frame is titled. */
function usableTitle(title: string | undefined): string {
  return title === undefined ||
    /^(?:youtube|vimeo|video|dailymotion)?[\s-]*(?:video)?[\s-]*player$|^video$/i.test(title.trim())
    ? ''
    : title.trim().slice(0, 300)
}

function sizeOf(element: Element): { width?: number; height?: number } {
  return defined({ width: wholeNumber(element.attributes['width']), height: wholeNumber(element.attributes['height']) })
}

/** `PT1H2M3S`, `P0DT0H3M12S`, `3:12` or seconds → seconds. */
export function parseDuration(text: string | undefined): number | undefined {
  const match = /^P(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,7})(?:\.\d+)?S)?)?$/i.exec(
    text?.trim() ?? '',
  )
  if (match !== null) {
    const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0))
    return days * 86_400 + hours * 3_600 + minutes * 60 + seconds || undefined
  }
  const clock = /^(?:(\d{1,2}):)?(\d{1,2}):(\d{2})$/.exec(text?.trim() ?? '')
  if (clock !== null) return Number(clock[1] ?? 0) * 3_600 + Number(clock[2]) * 60 + Number(clock[3])
  return wholeNumber(text)
}

function formatOf(type: string | undefined, url: string): string | undefined {
  const told = /(?:^|\/)(?:x-)?(mp4|webm|ogg|quicktime|mpegurl|flv|m4v|avi|matroska)/i
    .exec(type ?? '')?.[1]
    ?.toLowerCase()
  return told ?? /\.(mp4|webm|ogv|m4v|mov|m3u8|flv|avi|mkv)(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase()
}
