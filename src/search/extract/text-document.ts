import type { LinkRecord, PageDocument, PublishedAt } from '../document.ts'
import { scoreAdult } from './facts/adult.ts'
import type { Head } from './facts/head.ts'
import { readLanguage } from './facts/language.ts'
import { readRobots } from './facts/robots.ts'
import { simhash } from './facts/simhash.ts'
import { defined } from './facts/values.ts'

export type TextFacts = {
  url: string
  contentType: string
  headers: Readonly<Record<string, string | undefined>>
  fetchedAt: number
  firstSeenAt: number
  title: string
  /** Paragraphs parted by \n. */
  text: string
  headings: string[]
  author?: string | undefined
  published?: PublishedAt | undefined
  links?: LinkRecord[]
}

const TEXT_CHARACTERS_MAX = 1_000_000

/** The document of a file that has text and no markup: what markup would tell stays empty. */
export function textDocument(facts: TextFacts): PageDocument {
  const { url, fetchedAt, firstSeenAt, contentType, headings, links = [] } = facts
  const text = facts.text.slice(0, TEXT_CHARACTERS_MAX)
  const address = URL.parse(url)
  const head: Head = { meta: new Map(), links: [], title: facts.title, language: '', baseUrl: url }
  const title = facts.title || fileName(address)
  return {
    url,
    host: address?.hostname ?? '',
    fetchedAt,
    firstSeenAt,
    contentType,
    pageType: 'other',
    title,
    text,
    description: '',
    headings,
    links,
    images: [],
    videos: [],
    adult: scoreAdult(head, address?.href ?? 'http://unknown.invalid/', text),
    ...readRobots(head, facts.headers['x-robots-tag'], fetchedAt),
    simhash: simhash(text),
    ...defined({
      author: facts.author,
      language: readLanguage(head, text === '' ? title : text),
      published: facts.published,
    }),
  }
}

function fileName(address: URL | null): string {
  const last = address?.pathname.split('/').findLast((part) => part !== '') ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}
