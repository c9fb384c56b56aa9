import type { PageDocument } from '../document.ts'
import { headingText } from './dom/text.ts'
import { readPublished } from './dates/read-dates.ts'
import { scoreAdult } from './facts/adult.ts'
import { readAuthor } from './facts/author.ts'
import { metaOf, resolve } from './facts/head.ts'
import { readImages } from './facts/images.ts'
import { readLanguage } from './facts/language.ts'
import { readLinks } from './facts/links.ts'
import { readPage, type Page } from './facts/page.ts'
import { readRobots } from './facts/robots.ts'
import { simhash } from './facts/simhash.ts'
import { readIcon, readSiteName } from './facts/site.ts'
import { readTitle } from './facts/title.ts'
import { defined } from './facts/values.ts'
import { readVideos } from './facts/videos.ts'
import { readMainText } from './main-text/main-text.ts'
import { guessPageType } from './page-type.ts'

/** A fetched page, decoded. `url` is final and normalised; header names are in lower case; times are epoch ms. */
export type ExtractInput = {
  url: string
  html: string
  contentType: string
  headers: Readonly<Record<string, string | undefined>>
  fetchedAt: number
  firstSeenAt: number
}

/** Stands in for an address that is none, so that no rule has to ask. */
const NO_ADDRESS = 'http://unknown.invalid/'
const HEADINGS_MAX = 100
const TEXT_CHARACTERS_MAX = 1_000_000

/** Everything that indexing and answers need of one page, in one pass over its tree. Never throws; the same input gives the same document. */
export function extractPage(input: ExtractInput): PageDocument {
  const address = URL.parse(input.url)?.href ?? NO_ADDRESS
  const page = readPage(address, input.html, input.fetchedAt)
  const pageType = guessPageType(page)
  const main = readMainText(page, pageType)
  const text = main.text.slice(0, TEXT_CHARACTERS_MAX)
  const siteName = readSiteName(page)
  const title = readTitle(page, siteName)
  const language = readLanguage(page.head, text === '' ? title : text)
  const found = readPublished(page, pageType, language)
  const published =
    found === undefined ? undefined : { at: found.at, dayOnly: found.dayOnly, confidence: found.confidence }
  const description = metaOf(page.head, 'description', 'og:description', 'twitter:description', 'dc.description') ?? ''
  return {
    url: input.url,
    host: new URL(address).hostname,
    fetchedAt: input.fetchedAt,
    firstSeenAt: input.firstSeenAt,
    contentType: input.contentType,
    pageType,
    title,
    text,
    description: description.slice(0, 2_000),
    headings: readHeadings(page),
    links: readLinks(page),
    images: readImages(page, { title, published, isMain: main.isMain }),
    videos: readVideos(page, { title, description, published }),
    adult: scoreAdult(page.head, address, text),
    ...readRobots(page.head, input.headers['x-robots-tag'], input.fetchedAt),
    simhash: simhash(text),
    ...defined({
      canonicalUrl: readCanonical(page),
      siteName,
      iconUrl: readIcon(page),
      author: readAuthor(page),
      language,
      published,
    }),
  }
}

function readHeadings(page: Page): string[] {
  const headings: string[] = []
  for (const element of page.tree.elements) {
    if (!/^h[1-6]$/.test(element.name) || headings.length >= HEADINGS_MAX) continue
    const text = headingText(element, 300)
    if (text !== '') headings.push(text)
  }
  return headings
}

function readCanonical(page: Page): string | undefined {
  const links = page.head.links.filter(({ rel }) => /(?:^|\s)canonical(?:\s|$)/.test(rel))
  return links.map(({ href }) => resolve(href, page.head.baseUrl)).find((url) => url !== undefined)
}
