import type { ImageRecord, PublishedAt } from '../../document.ts'
import { closest, type Element } from '../dom/element.ts'
import { collapse, textOf } from '../dom/text.ts'
import { resolve } from './head.ts'
import { ARTICLE_TYPES, PRODUCT_TYPES, thingsOf, type Page } from './page.ts'
import { isOfType, urlValues } from './linked-data.ts'
import { defined, wholeNumber } from './values.ts'

const IMAGES_MAX = 100
/** Below this an image is a button, not a picture. */
const SIDE_MIN = 100
const IMAGE_TYPES = new Set(['ImageObject'])
const NOT_PICTURES =
  /(?:^|[\W_])(?:logo|icon|favicon|avatar|sprite|spacer|pixel|blank|placeholder|loading|spinner|button|badge|emoji|smil(?:ey|ies)|flag|banner-?ad|captcha|gravatar|transparent|1x1)(?:[\W_\d]|$)/i
const FORMATS: Record<string, string> = {
  jpg: 'jpeg',
  jpeg: 'jpeg',
  png: 'png',
  webp: 'webp',
  gif: 'gif',
  svg: 'svg',
  avif: 'avif',
}

export type ImagesAround = { title: string; published: PublishedAt | undefined; isMain: (element: Element) => boolean }

/** Pictures of a page, each address once: those that it names as its own first, then figures, then other images in its text. */
export function readImages(page: Page, around: ImagesAround): ImageRecord[] {
  const found = new Map<string, ImageRecord>()
  const add = (record: ImageRecord): void => {
    const before = found.get(record.url)
    if (before === undefined && found.size >= IMAGES_MAX) return
    found.set(record.url, before === undefined ? record : merge(before, record))
  }
  addNamed(page, around, add)
  let heading = ''
  for (const element of page.tree.elements) {
    if (/^h[1-4]$/.test(element.name)) heading = textOf(element, 150)
    else if (element.name === 'img') {
      const record = fromElement(element, heading, page, around)
      if (record !== undefined) add(record)
    }
  }
  return [...found.values()].map((record) => withAround(record, around))
}

function withAround(record: ImageRecord, around: ImagesAround): ImageRecord {
  const published = record.published ?? around.published
  return { ...record, name: record.name || around.title, ...defined({ published }) }
}

function merge(a: ImageRecord, b: ImageRecord): ImageRecord {
  const context = a.context.includes(b.context) ? a.context : `${a.context} ${b.context}`.trim().slice(0, 1_000)
  return {
    ...b,
    ...a,
    name: a.name || b.name,
    context,
    prominence: Math.min(1, Math.max(a.prominence, b.prominence) + 0.05),
  }
}

/** og:image and the images of the page's own article or product. */
function addNamed(page: Page, around: ImagesAround, add: (record: ImageRecord) => void): void {
  const { meta, baseUrl } = page.head
  const social =
    meta.get('og:image:secure_url') ??
    meta.get('og:image') ??
    meta.get('og:image:url') ??
    meta.get('twitter:image') ??
    meta.get('twitter:image:src') ??
    []
  for (const [i, address] of social.slice(0, 4).entries()) {
    const url = resolve(address, baseUrl)
    if (url === undefined) continue
    const at = (name: string): string | undefined => meta.get(name)?.[i]
    add({
      url,
      name: at('og:image:alt') ?? at('twitter:image:alt') ?? '',
      context: around.title,
      prominence: NOT_PICTURES.test(fileName(url)) ? 0.3 : 0.9,
      ...defined({
        width: wholeNumber(at('og:image:width')),
        height: wholeNumber(at('og:image:height')),
        format: formatOf(url),
      }),
    })
  }
  for (const thing of thingsOf(page)) {
    const own = isOfType(thing, ARTICLE_TYPES) || isOfType(thing, PRODUCT_TYPES)
    const values = own
      ? urlValues(thing['image'])
      : isOfType(thing, IMAGE_TYPES)
        ? urlValues(thing['contentUrl'] ?? thing['url'])
        : []
    for (const address of values.slice(0, 10)) {
      const url = resolve(address, baseUrl)
      if (url === undefined || NOT_PICTURES.test(fileName(url))) continue
      const size = own ? {} : ownSize(thing)
      add({
        url,
        name: '',
        context: around.title,
        prominence: own ? 0.8 : 0.5,
        ...size,
        ...defined({ format: formatOf(url) }),
      })
    }
  }
}

/** What an ImageObject tells of its file; a size that is rounded ("352 KB") is none. */
function ownSize(thing: Record<string, unknown>): Pick<ImageRecord, 'width' | 'height' | 'bytes'> {
  const bytes = /^(\d{1,12})(?:\s*(?:b|bytes?))?$/i.exec(String(thing['contentSize'] ?? '').trim())?.[1]
  return defined({
    width: wholeNumber(thing['width']),
    height: wholeNumber(thing['height']),
    bytes: bytes === undefined ? undefined : Number(bytes),
  })
}

function fromElement(element: Element, heading: string, page: Page, around: ImagesAround): ImageRecord | undefined {
  const url = bestSource(element, page.head.baseUrl)
  if (url === undefined || NOT_PICTURES.test(fileName(url)) || NOT_PICTURES.test(element.marks)) return undefined
  const width = wholeNumber(element.attributes['width'])
  const height = wholeNumber(element.attributes['height'])
  if ((width !== undefined && width < SIDE_MIN) || (height !== undefined && height < SIDE_MIN)) return undefined
  const figure =
    element.parent === undefined
      ? undefined
      : closest(element.parent, (at) => at.name === 'figure' || /caption/.test(at.marks))
  if (figure === undefined && !around.isMain(element)) return undefined
  const caption = figure === undefined ? '' : captionOf(figure)
  const alt = collapse(element.attributes['alt'] ?? '').slice(0, 300)
  const name = alt || caption.slice(0, 300) || collapse(element.attributes['title'] ?? '').slice(0, 300)
  const context = [alt, caption, heading, around.title].filter((text, i, all) => text !== '' && all.indexOf(text) === i)
  return {
    url,
    name,
    context: context.join(' · ').slice(0, 1_000),
    prominence: figure === undefined ? (name === '' ? 0.3 : 0.45) : 0.65,
    ...defined({ width, height, format: formatOf(url) }),
  }
}

function captionOf(figure: Element): string {
  const captions = figure.children.flatMap((child) =>
    typeof child === 'string' ? [] : [child, ...child.children.filter((inner) => typeof inner !== 'string')],
  ) as Element[]
  const caption = captions.find((child) => child.name === 'figcaption' || /caption/.test(child.marks))
  return caption === undefined ? '' : textOf(caption, 500)
}

/** The largest of `srcset` and the lazy-loading attributes; `src` is often a grey pixel. */
function bestSource(element: Element, base: string): string | undefined {
  const { attributes, parent } = element
  const siblings = parent?.name === 'picture' ? parent.children : []
  const sets = [attributes['srcset'], attributes['data-srcset'], attributes['data-lazy-srcset']]
  for (const sibling of siblings)
    if (typeof sibling !== 'string' && sibling.name === 'source') sets.push(sibling.attributes['srcset'])
  const largest = sets.flatMap((set) => parseSrcset(set ?? '')).toSorted((a, b) => b.size - a.size)[0]?.url
  const plain = [attributes['data-src'], attributes['data-lazy-src'], attributes['data-original'], attributes['src']]
  return [largest, ...plain].map((address) => resolve(address, base)).find((url) => url !== undefined)
}

/** Candidates of a srcset (https://html.spec.whatwg.org/multipage/images.html#srcset-attribute); addresses may hold commas. */
export function parseSrcset(text: string): { url: string; size: number }[] {
  return [...text.matchAll(/\s*([^\s,][^\s]*[^\s,])(?:\s+(\d+(?:\.\d+)?)([wx]))?\s*(?:,|$)/g)]
    .slice(0, 30)
    .map(([, url = '', size, unit]) => ({
      url,
      size: Number(size ?? 1) * (unit === 'w' ? 1 : 600),
    }))
}

function fileName(url: string): string {
  return new URL(url).pathname.split('/').slice(-2).join('/')
}

function formatOf(url: string): string | undefined {
  return FORMATS[/\.([a-z]{3,4})$/i.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? '']
}
