import type { ImageRecord, VideoRecord } from '../document.ts'
import { ADULT_MIN, DATE_CONFIDENCE_MIN } from '../document.ts'
import type { Body } from '../documents/contents.ts'
import type { PageRow } from '../documents/documents-reader.ts'
import type { IndexDoc } from '../index/search-index.ts'
import { analyse } from '../text/analyse.ts'

/** A page is judged by its first part: longer texts add little, and one page must not hold the index up. Characters. */
const TEXT_MAX = 100_000

type Keyed = { key: number; record: ImageRecord | VideoRecord }

export type Content = { body: Body; anchors: string; images: Keyed[]; videos: Keyed[] }

export type ThingDocs = { web: IndexDoc[]; images: IndexDoc[]; videos: IndexDoc[] }

/** What can be found of one page: itself, its images and its videos, as terms. */
export function toIndexDocs(page: PageRow, content: Content): ThingDocs {
  const { body, anchors } = content
  const common = {
    owner: page.id,
    sites: sitesOf(page.host),
    language: page.language ?? '',
    adult: page.adult >= ADULT_MIN,
  }
  const time = (page.published?.at ?? page.firstSeenAt) / 1000
  const title = terms(page.title, page.language)
  const words = [
    page.title,
    page.title,
    body.description,
    ...body.headings,
    anchors,
    page.siteName ?? '',
    hostWords(page.host),
  ]
  const text = `${words.join('\n')}\n${body.text.slice(0, TEXT_MAX)}`
  const web = {
    ...common,
    key: page.id,
    all: terms(text, page.language),
    title,
    fileType: fileTypeOf(page),
    time: Math.floor(time),
  }
  const thing = ({ key, record }: Keyed): IndexDoc => ({
    ...common,
    key,
    all: terms(`${record.name}\n${record.name}\n${moreOf(record)}\n${page.title}`, page.language),
    title: terms(record.name, page.language),
    fileType: record.format ?? '',
    time: Math.floor(ownTime(record) ?? time),
  })
  return {
    web: [web],
    images: content.images.map((image) => thing(image)),
    videos: content.videos.map((video) => thing(video)),
  }
}

function terms(text: string, language: string | undefined): string {
  let joined = ''
  for (const token of analyse(text, language)) joined += joined === '' ? token.term : ` ${token.term}`
  return joined
}

/** Epoch seconds. */
function ownTime(record: ImageRecord | VideoRecord): number | undefined {
  const { published } = record
  return published !== undefined && published.confidence >= DATE_CONFIDENCE_MIN ? published.at / 1000 : undefined
}

/** What is told of a thing beside its name. */
function moreOf(record: ImageRecord | VideoRecord): string {
  return 'context' in record ? record.context : record.description
}

/** `docs.example.org` is found under itself, `example.org` and `org`. */
export function sitesOf(host: string): string[] {
  const labels = host.split('.')
  return labels.map((_, i) => labels.slice(i).join('.'))
}

function hostWords(host: string): string {
  return /^[\d.]+$|:/.test(host) ? '' : host.replace(/^www\./, '').replaceAll('.', ' ')
}

/** What `filetype:` asks for: the ending of the path, or what the content type says. */
export function fileTypeOf(page: { url: string; contentType: string }): string {
  const type = page.contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/pdf') return 'pdf'
  if (type === 'text/plain') return 'txt'
  const ending = /\.([a-z0-9]{1,5})$/i.exec(new URL(page.url).pathname)?.[1]?.toLowerCase()
  return ending === undefined || ending === 'htm' || type.includes('html') ? 'html' : ending
}
