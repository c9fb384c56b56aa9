import type { PageType } from '../document.ts'
import { typesOf } from './facts/linked-data.ts'
import { metaOf } from './facts/head.ts'
import type { Page } from './facts/page.ts'

type Vote = [type: PageType, points: number]

/** What each kind of sign says, in points; the type with most points wins if it has at least `POINTS_MIN`. */
const POINTS_MIN = 2

const THINGS: Record<string, Vote> = {
  DiscussionForumPosting: ['forum', 6],
  QAPage: ['forum', 6],
  Product: ['product', 4],
  ProductGroup: ['product', 5],
  CollectionPage: ['listing', 3],
  ItemList: ['listing', 1.5],
  SearchResultsPage: ['listing', 4],
  OfferCatalog: ['listing', 2],
  TechArticle: ['documentation', 3],
  APIReference: ['documentation', 5],
  NewsArticle: ['article', 5],
  BlogPosting: ['article', 5],
  Article: ['article', 3.5],
  Report: ['article', 3],
  Recipe: ['article', 4],
  ReportageNewsArticle: ['article', 5],
  ScholarlyArticle: ['article', 3],
  Service: ['service', 3],
  SoftwareApplication: ['service', 1.5],
  LocalBusiness: ['service', 2],
  ProfessionalService: ['service', 2],
  FAQPage: ['service', 0.5],
}
const PATHS: [RegExp, Vote][] = [
  [
    /\/(?:forums?|threads?|topics?|viewtopic|showthread|discussions?|community|questions?|boards?|t|r\/\w+\/comments|comments)(?:[/.-]|$)|(?:viewtopic|showthread)\.php/i,
    ['forum', 3],
  ],
  [/\/(?:products?|p|dp|item|itm|shop\/[^/]+\/[^/]+|buy)\/[^/]+|\/[^/]+\/p\/?$|-p-?\d+(?:\.html)?$/i, ['product', 2.5]],
  [
    /\/(?:docs?|documentation|manual|reference|api|guides?|handbook|wiki|man|tutorials?|learn|latest|stable|javadoc)(?:[/.]|$)/i,
    ['documentation', 2],
  ],
  [
    /\/(?:categor(?:y|ies)|tags?|topics?|collections?|archives?|search|browse|shop|store|list|c|all|archive|catalog(?:ue)?)(?:\/[^/]*)?\/?$/i,
    ['listing', 2.5],
  ],
  [
    /\/(?:blogs?|news|articles?|stor(?:y|ies)|posts?|insights?|magazine|opinion|press|features?|recipes?|20\d\d\/\d{1,2})\/[^/]{12,}/i,
    ['article', 3],
  ],
  [
    /\/(?:services?|solutions?|about(?:-us)?|pricing|features|contact|careers|platform|industries|company|consulting|what-we-do|our-\w+)(?:[/.-]|$)/i,
    ['service', 3],
  ],
]
const HOSTS: [RegExp, Vote][] = [
  [/^(?:docs?|developers?|dev|api|help|support|manual|wiki|learn)\.|readthedocs|\.github\.io$/, ['documentation', 2]],
  [
    /^(?:forums?|community|discuss|discourse|boards?|answers|ask|talk)\.|forum|stackoverflow|stackexchange|reddit|quora/,
    ['forum', 3],
  ],
  [/^(?:shop|store)\./, ['product', 1]],
  [/^(?:blog|news)\./, ['article', 2]],
]
const GENERATORS: [RegExp, Vote][] = [
  [
    /docusaurus|sphinx|mkdocs|gitbook|vitepress|docbook|javadoc|doxygen|antora|hugo-?book|starlight|nextra|readme\.io|jsdoc|rustdoc/i,
    ['documentation', 5],
  ],
  [/phpbb|vbulletin|xenforo|discourse|mybb|smf|vanilla|nodebb|flarum|invision|ipb|punbb|fluxbb/i, ['forum', 6]],
]

/** What kind of page this is: decides which rules read its main text. */
export function guessPageType(page: Page): PageType {
  const url = new URL(page.url)
  if (/^\/(?:[a-z]{2}(?:-[a-z]{2})?\/?|index\.\w+|home\/?)?$/i.test(url.pathname) && url.search === '') return 'home'
  const points = new Map<PageType, number>()
  const vote = ([type, value]: Vote): void => void points.set(type, (points.get(type) ?? 0) + value)
  for (const name of new Set(page.linkedData.slice(0, 60).flatMap((thing) => typesOf(thing))))
    voteFor(THINGS[name], 1, vote)
  for (const name of new Set(page.microdata.slice(0, 60).flatMap((thing) => typesOf(thing))))
    voteFor(THINGS[name], 0.8, vote)
  const products =
    page.linkedData.filter((thing) => typesOf(thing).includes('Product')).length +
    page.microdata.filter((thing) => typesOf(thing).includes('Product')).length
  if (products > 3) vote(['listing', 4])
  for (const [pattern, value] of PATHS) if (pattern.test(url.pathname)) vote(value)
  for (const [pattern, value] of HOSTS) if (pattern.test(url.hostname)) vote(value)
  voteByHead(page, vote)
  voteByTree(page, vote)
  const best = [...points].reduce<Vote | undefined>(
    (best, next) => (best === undefined || next[1] > best[1] ? next : best),
    undefined,
  )
  return best !== undefined && best[1] >= POINTS_MIN ? best[0] : 'other'
}

function voteFor(value: Vote | undefined, factor: number, vote: (value: Vote) => void): void {
  if (value !== undefined) vote([value[0], value[1] * factor])
}

function voteByHead(page: Page, vote: (value: Vote) => void): void {
  const kind = metaOf(page.head, 'og:type') ?? ''
  if (/^article$/i.test(kind)) vote(['article', 1.5])
  if (/product/i.test(kind)) vote(['product', 3])
  if (metaOf(page.head, 'product:price:amount', 'og:price:amount') !== undefined) vote(['product', 2])
  if (metaOf(page.head, 'article:published_time') !== undefined) vote(['article', 2])
  const generator = metaOf(page.head, 'generator', 'application-name') ?? ''
  for (const [pattern, value] of GENERATORS) if (pattern.test(generator)) vote(value)
}

const FORUM_MARKS =
  /(?:^|[\s_-])(?:postbody|post-?body|message-?body|messagetext|messagecontent|js-post|topic-?post|post_?message|threadpost|forumpost|forum-?post|lia-message-body\S*|commentarea|answercell|answer-?body|post-text|js-post-body|bbwrapper|comment-?body|cooked)(?:$|[\s_-])/
const FORUM_BODY =
  /(?:^|[\s_-])(?:phpbb\S*|vbulletin|xenforo|discourse|forum\S*|thread-?view|question-page|viewtopic|showthread|lia-\S+|single-topic|bbpress)(?:$|[\s_-])/
const DOC_MARKS =
  /(?:^|[\s_-])(?:rst-content|sphinxsidebar|md-content|markdown-section|theme-doc-markdown|docs?-content|docs?-body|devsite-article|mw-parser-output|docmainwrapper|vp-doc|manual-page|refentry|sect1|navheader)(?:$|[\s_-])/
const PRODUCT_MARKS =
  /(?:^|[\s_-])(?:add-?to-?cart\S*|single-product|product-?(?:detail|details|page|single|template|info|view|form|price)|pdp\S*|buy-?box|single_add_to_cart_button|template-product|catalog-product-view)(?:$|[\s_-])/
const ARTICLE_MARKS =
  /(?:^|[\s_-])(?:single-post|article-?body|post-template\S*|entry-content|story-body|postid-\d+|article-?content|post-content)(?:$|[\s_-])/
const LISTING_MARKS =
  /(?:^|[\s_-])(?:archive|category|tax-product_cat|post-type-archive\S*|search-results|product-grid|product-list|products-grid|template-collection|collection-grid|listing-page)(?:$|[\s_-])/

const CARD_MARKS =
  /(?:^|[\s_-])(?:product-?(?:card|item|tile|thumb|miniature|block|cell)|grid-?(?:product|item|tile)|item-?card|search-?result|result-?item|product)(?:$|[\s_-])/
/** So many cards of products are a list of them; a product's own page shows a handful of others. */
const CARDS_MIN = 16

function voteByTree(page: Page, vote: (value: Vote) => void): void {
  const counts = { posts: 0, docs: 0, product: 0, article: 0, articles: 0, listing: 0, cards: 0 }
  for (const element of page.tree.elements) {
    if (element.name === 'article') counts.articles++
    const { marks } = element
    if (marks === ' ') continue
    if (element.name === 'body' || element.name === 'html') {
      if (FORUM_BODY.test(marks)) vote(['forum', 4])
      if (LISTING_MARKS.test(marks)) vote(['listing', 3])
      if (/(?:^|\s)(?:page-template\S*|page-id-\d+|wp-singular page)(?:$|\s)/.test(marks)) vote(['service', 1])
    }
    if (FORUM_MARKS.test(marks)) counts.posts++
    if (DOC_MARKS.test(marks)) counts.docs++
    if (PRODUCT_MARKS.test(marks)) counts.product++
    if (ARTICLE_MARKS.test(marks)) counts.article++
    if (LISTING_MARKS.test(marks)) counts.listing++
    if ((element.name === 'li' || element.name === 'div' || element.name === 'article') && CARD_MARKS.test(marks))
      counts.cards++
  }
  if (counts.posts > 1) vote(['forum', 2.5])
  if (counts.docs > 0) vote(['documentation', 3])
  if (counts.product > 1) vote(['product', 2.5])
  if (counts.article > 0) vote(['article', 1.5])
  if (counts.articles > 5) vote(['listing', 1])
  if (counts.listing > 0) vote(['listing', 1])
  if (counts.cards >= CARDS_MIN) vote(['listing', 2.5])
}
