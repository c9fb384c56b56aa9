import type { PageType } from '../../document.ts'
import type { Element } from '../dom/element.ts'

/** Elements and roles that frame a page. */
const FRAME_ROLES =
  /^(?:navigation|banner|contentinfo|search|complementary|dialog|alertdialog|menu|menubar|toolbar|tablist|tooltip|alert)$/

/** Class and id words, joined for a pattern that finds them between spaces, dashes and underscores. */
const words = (...lists: string[]): RegExp =>
  new RegExp(String.raw`(?:^|[\s_-])(?:${lists.join(' ').split(' ').join('|')})(?:$|[\s_-])`)

/** Places that lead elsewhere: full of links. One that is full of prose is something else of that name. */
const LEADING = words(
  String.raw`nav(?:bar|igation|igator|menu)? menu mega-?menu submenu off-?canvas breadcrumbs? pagination pager paginator page-?numbers?`,
  String.raw`skip-?links? skip toc table-?of-?contents lwptoc\S* ez-toc\S* jump-?(?:to|links) back-?to-?top`,
  String.raw`scroll-?top top-?bar toolbar tool-?bar tags? tag-?(?:list|cloud|links) tagcloud post-?tags cat-?links post-?categor\w+`,
  String.raw`nav-?(?:links|previous|next|below|above) post-?nav\S* language-?(?:switch\w*|select\w*|list) lang-?switch\w* wpml\S* catlinks navbox`,
)
/** Places that are never the page's own text. */
const FRAMES = words(
  String.raw`cookies? cookie-?\w+ consent gdpr onetrust\S* popup pop-up modal overlay lightbox toast newsletter\S* subscri(?:be|ption)\S*`,
  String.raw`sign-?up signup-\S+ mailchimp opt-?in share shares sharing share-?\w+ social socials social-?\w+ sharedaddy addthis\S* addtoany\S*`,
  String.raw`sharethis\S* ads? advert\S* adsense ad-?(?:slot|unit|container|wrapper|banner|box) banner-?ad sponsor\S* outbrain taboola`,
  String.raw`site-?(?:header|footer|nav) footer\S* colophon copyright masthead login log-in sign-?in search-?(?:form|box|bar|field|input)`,
  String.raw`print-?\w* screen-?reader\S* sr-?only visually-?hidden hidden-?(?:print|xs) noprint edit-?link editsection mw-editsection disclaimer`,
  String.raw`rating-?(?:form|stars)? star-?rating testimonials?-?carousel instagram\S* rss feed-?links headerlink reflist references mw-jump-link`,
  String.raw`noexcerpt infobox ambox metadata cta call-?to-?action hero-?cta affiliate-?\w* leaderboard video-?(?:player|playlist) jw-?player\S*`,
  String.raw`promo-?bar\S* announcement-?bar\S* carousel-?(?:nav|control)\S* slick-?(?:dots|arrow) swiper-?(?:button|pagination)\S*`,
)
/** Places beside the text, by their names. */
const BESIDE = words(String.raw`sidebar\S* side-?bar widget-area`)
/** What a shop puts around the product: opinions, terms, other products. */
const SHOP = words(
  String.raw`reviews? reviews?-\w+ (?:product|customer)-?reviews?\S* yotpo\S* bazaarvoice\S* bv[-_]\S* judgeme\S* jdgm\S* stamped\S* okendo\S* loox\S*`,
  String.raw`trustpilot\S* ratings?\S* financing\S* klarna\S* afterpay\S* affirm\S*`,
  String.raw`recently-?viewed\S* up-?sells?\S* cross-?sells?\S* wish-?list\S* also-?bought complete-?the-?look recommendations?\S*`,
)
/** Places that show other pages, or tell about this one: a list of pages consists of them. */
const TEASERS = words(
  String.raw`promo\S* related\S* recommend\S* recirc\S* more-?(?:posts|stories|articles|news|from|on) read-?(?:more|next|also) also-?like`,
  String.raw`you-?may\S* up-?next next-?(?:post|article) prev-?(?:post|article) author-?(?:box|bio|info|card|block|profile|desc\S*)`,
  String.raw`about-?(?:the-)?author bio-?box byline\S* by-?line dateline post-?meta entry-?meta article-?meta meta-?(?:data|info) entry-?footer`,
  String.raw`post-?footer article-?footer trending most-?(?:popular|read|viewed) popular-?\w* latest-?(?:posts|news) wp-block-latest-posts\S* jp-relatedposts`,
)
/** Comments: text of a forum, beside the text of anything else. */
const COMMENTS =
  /(?:^|[\s_-])(?:comments?|comment-?(?:list|area|section|form|respond|wrapper|thread)|commentlist|disqus\S*|respond|responses|discussion|replies|reply-?\w*|livefyre|reviews?-?(?:list|form|section))(?:$|[\s_-])/
/** Words that say: this is the text, whatever else stands beside them. */
const CONTENT =
  /(?:^|[\s_-])(?:article-?(?:body|content|text)|post-?(?:body|content|text)|entry-?(?:content|body|text)|story-?(?:body|content)|main-?(?:content|text)|page-?content|content-?(?:body|main|area)|body-?(?:content|text)|articlebody)(?:$|[\s_-])/

/** Share of the page's prose above which a frame's or an advertisement's name is no longer believed. */
const LARGE = 0.5
const LARGE_COMMENTS = 0.8
/** A place named after navigation is none if most of it is prose outside links, and enough of it. */
const PROSE_CHARACTERS_MIN = 300
const PROSE_SHARE_MIN = 0.75
const FOLDED_CHARACTERS_MIN = 60

/** What stands in an element: its share of the page's prose, its prose and all its characters. */
export type Content = {
  share: number
  /** The share of all places that bear the same class and id. */
  namedShare: number
  prose: number
  characters: number
}

/**
 * Is this element, with all that is inside, something other than the page's own text? A theme's `has-sidebar` on the element that holds
 * everything says nothing. `large` is the share above which names are not believed.
 */
export function isBoilerplate(element: Element, type: PageType, content: Content, large = LARGE): boolean {
  const { name, attributes, marks } = element
  const { share } = content
  if (name === 'body' || name === 'html' || name === '#root' || isStreamed(element)) return false
  if (isHidden(element)) return share < large && !isFolded(element, type, content)
  if (name === 'nav' || name === 'aside' || name === 'footer') return share < large
  if (attributes['role'] !== undefined && FRAME_ROLES.test(attributes['role']))
    return share < large && !isProse(content)
  if (name === 'main' || name === 'article') return false
  if (name === 'header') return element.parent?.name === 'body' && share < large
  if (name === 'form' && type !== 'forum') return share < 0.3 && (isShelf(type) || !isProse(content))
  if (marks === ' ' || CONTENT.test(marks)) return false
  if (type !== 'forum' && COMMENTS.test(marks))
    return share < (type === 'article' || type === 'product' ? LARGE_COMMENTS : LARGE)
  const namedShare = isShelf(type) || type === 'product' ? share : content.namedShare
  if (namedShare < LARGE && FRAMES.test(marks)) return true
  if (namedShare >= Math.max(large, LARGE) || share >= large) return false
  if (BESIDE.test(marks) || (type === 'product' && SHOP.test(marks))) return true
  if (!isShelf(type) && type !== 'service' && TEASERS.test(marks)) return true
  return LEADING.test(marks) && attributes['role'] !== 'tabpanel' && !isProse(content)
}

/** Pages that show other pages. */
function isShelf(type: PageType): boolean {
  return type === 'listing' || type === 'home'
}

function isProse({ prose, characters }: Content): boolean {
  return prose >= PROSE_CHARACTERS_MIN && prose > PROSE_SHARE_MIN * characters
}

/** React sends late parts of a page hidden, at its end, and a script moves them to their places. */
function isStreamed(element: Element): boolean {
  return /^S:[0-9a-f]+$/.test(element.attributes['id'] ?? '')
}

/** An answer or a tab that one click opens is text of the page; a dialog is not. */
function isFolded(element: Element, type: PageType, content: Content): boolean {
  const { role, marks } = { role: element.attributes['role'] ?? '', marks: element.marks }
  if (FRAME_ROLES.test(role) || FRAMES.test(marks) || TEASERS.test(marks) || LEADING.test(marks)) return false
  const opener =
    /accordion|collaps|faq|tab|panel|answer|toggle|expand|disclosure|description|specs|specification|details|features/
  const { parent } = element
  const opened =
    role === 'region' ||
    role === 'tabpanel' ||
    opener.test(marks) ||
    (parent !== undefined && opener.test(parent.marks))
  // Shelves fold out baskets and forms, in few words.
  const enough = isShelf(type) ? PROSE_CHARACTERS_MIN : FOLDED_CHARACTERS_MIN
  return opened && content.prose >= enough && content.prose > PROSE_SHARE_MIN * content.characters
}

function isHidden(element: Element): boolean {
  const { hidden, style } = element.attributes
  if (hidden !== undefined && hidden !== 'until-found') return true
  if (element.attributes['aria-hidden'] === 'true' && element.name !== 'div' && element.name !== 'section') return true
  return style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)
}
