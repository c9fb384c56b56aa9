import { parseHtml, type HtmlTree } from '../dom/parse-html.ts'
import { readHead, type Head } from './head.ts'
import { readLinkedData, type Thing } from './linked-data.ts'
import { readMicrodata } from './microdata.ts'

/** A page as read once: every rule looks at this and at nothing else. */
export type Page = {
  url: string
  html: string
  tree: HtmlTree
  head: Head
  linkedData: Thing[]
  microdata: Thing[]
  fetchedAt: number
}

export function readPage(url: string, html: string, fetchedAt: number): Page {
  const tree = parseHtml(html)
  return {
    url,
    html,
    tree,
    head: readHead(tree, url),
    linkedData: readLinkedData(tree),
    microdata: readMicrodata(tree),
    fetchedAt,
  }
}

/** JSON-LD first: it is written for machines, microdata around what is shown. */
export function thingsOf(page: Page): Thing[] {
  return [...page.linkedData, ...page.microdata]
}

export const ARTICLE_TYPES: ReadonlySet<string> = new Set(
  'Article NewsArticle BlogPosting TechArticle ScholarlyArticle Report AnalysisNewsArticle OpinionNewsArticle ReportageNewsArticle ReviewNewsArticle BackgroundNewsArticle LiveBlogPosting SocialMediaPosting AdvertiserContentArticle SatiricalArticle MedicalScholarlyArticle Recipe HowTo Review CriticReview'.split(
    ' ',
  ),
)
export const FORUM_TYPES: ReadonlySet<string> = new Set(['DiscussionForumPosting', 'QAPage', 'Question'])
export const PRODUCT_TYPES: ReadonlySet<string> = new Set([
  'Product',
  'ProductGroup',
  'IndividualProduct',
  'ProductModel',
  'Vehicle',
  'Car',
])
