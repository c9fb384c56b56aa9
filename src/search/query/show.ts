import { ADULT_MIN, DATE_CONFIDENCE_MIN, type PublishedAt } from '../document.ts'
import type { DocumentsReader, PageRow } from '../documents/documents-reader.ts'
import { THINGS_PER_PAGE } from '../documents/schema.ts'
import type { ImageResult, PageResult, VideoResult } from '../search.ts'
import { findDeepLinks } from './deep-links.ts'
import { buildWordFinder } from './find-words.ts'
import { makeSnippet, oneLine } from './snippet.ts'
import { makeSummary } from './summary.ts'

/** So much of a text is looked at for what is shown of it. */
const SHOWN_TEXT_MAX = 30_000

export type Showing = {
  documents: DocumentsReader
  terms: string[]
  text: string
  withoutSummary: boolean
}

export type Shown = { id: number; why: Record<string, number>; navigational: boolean; first: boolean }

/** The pages as results. A page that went since the list was made is left out. */
export function showPages(pages: Shown[], showing: Showing): PageResult[] {
  const find = buildWordFinder(showing.terms, showing.text.split(/\s+/u).slice(0, 40))
  return pages.flatMap((shown) => {
    const row = showing.documents.findPage(shown.id)
    return row === undefined || row.gone ? [] : [showPage(row, shown, showing, find)]
  })
}

function showPage(row: PageRow, shown: Shown, showing: Showing, find: ReturnType<typeof buildWordFinder>): PageResult {
  const body = showing.documents.findBody(row.id)
  const full = (body?.text ?? '').slice(0, SHOWN_TEXT_MAX)
  const text = full.trim() === '' ? (body?.description ?? '') : full
  const places = find(text)
  return {
    url: row.url,
    title: row.title === '' ? row.url : row.title,
    snippet: makeSnippet(text, places),
    ...(showing.withoutSummary ? {} : { summary: makeSummary(text, row.language, places) }),
    ...known({ siteName: row.siteName, iconUrl: row.iconUrl, language: row.language, published: row.published }),
    crawledAt: row.fetchedAt,
    copyId: String(row.id),
    familyFriendly: row.adult < ADULT_MIN,
    navigational: shown.navigational,
    deepLinks: shown.navigational && shown.first ? findDeepLinks(showing.documents, row) : [],
    why: shown.why,
  }
}

export function showImages(keys: number[], documents: DocumentsReader): ImageResult[] {
  return keys.flatMap((key) => {
    const page = documents.findPage(Math.floor(key / THINGS_PER_PAGE))
    const image = documents.findImage(key)
    if (page === undefined || image === undefined || page.gone) return []
    const { width, height, bytes, format } = image
    return [
      {
        name: oneLine(image.name === '' ? page.title : image.name),
        contentUrl: image.url,
        hostPageUrl: page.url,
        familyFriendly: page.adult < ADULT_MIN,
        ...known({ width, height, bytes, format, published: gated(image.published) ?? page.published }),
      },
    ]
  })
}

export function showVideos(keys: number[], documents: DocumentsReader): VideoResult[] {
  return keys.flatMap((key) => {
    const page = documents.findPage(Math.floor(key / THINGS_PER_PAGE))
    const video = documents.findVideo(key)
    if (page === undefined || video === undefined || page.gone) return []
    const { url, name, description, published, ...more } = video
    return [
      {
        ...known(more),
        name: oneLine(name === '' ? page.title : name),
        description: oneLine(description),
        contentUrl: url,
        hostPageUrl: page.url,
        familyFriendly: page.adult < ADULT_MIN,
        ...known({ published: gated(published) ?? page.published }),
      },
    ]
  })
}

function gated(published: PublishedAt | undefined): { at: number; dayOnly: boolean } | undefined {
  if (published === undefined || published.confidence < DATE_CONFIDENCE_MIN) return undefined
  return { at: published.at, dayOnly: published.dayOnly }
}

type Known<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** Leaves out what is not known. */
function known<Fields extends object>(fields: Fields): Known<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Known<Fields>
}
