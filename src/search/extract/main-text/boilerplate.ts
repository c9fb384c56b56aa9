import type { PageType } from '../../document.ts'
import type { Element } from '../dom/element.ts'

/** Elements and roles that frame a page. */
const FRAME_ROLES =
  /^(?:navigation|banner|contentinfo|search|complementary|dialog|alertdialog|menu|menubar|toolbar|tablist|tooltip|alert)$/

/** Class and id words of places that are never the page's own text. */
const ALWAYS = new RegExp(
  String.raw`(?:^|[\s_-])(?:nav(?:bar|igation|igator|menu)?|menu|mega-?menu|submenu|off-?canvas|breadcrumbs?|pagination|pager|paginator|page-?numbers?|skip-?links?|skip|cookies?|cookie-?\w+|consent|gdpr|onetrust\S*|popup|pop-up|modal|overlay|lightbox|toast|newsletter\S*|subscri(?:be|ption)\S*|sign-?up|signup-\S+|mailchimp|opt-?in|share|shares|sharing|share-?\w+|social|socials|social-?\w+|sharedaddy|addthis\S*|addtoany\S*|sharethis\S*|ads?|advert\S*|adsense|ad-?(?:slot|unit|container|wrapper|banner|box)|banner-?ad|sponsor\S*|promo\S*|outbrain|taboola|related\S*|recommend\S*|recirc\S*|more-?(?:posts|stories|articles|news|from|on)|read-?(?:more|next|also)|also-?like|you-?may\S*|up-?next|next-?(?:post|article)|prev-?(?:post|article)|post-?nav\S*|nav-?(?:links|previous|next|below|above)|sidebar\S*|side-?bar|widget-area|site-?(?:header|footer|nav)|footer\S*|colophon|copyright|masthead|top-?bar|toolbar|tool-?bar|login|log-in|sign-?in|search-?(?:form|box|bar|field|input)|print-?\w*|screen-?reader\S*|sr-?only|visually-?hidden|hidden-?(?:print|xs)|noprint|toc|table-?of-?contents|lwptoc\S*|ez-toc\S*|jump-?(?:to|links)|back-?to-?top|scroll-?top|author-?(?:box|bio|info|card|block|profile|desc\S*)|about-?(?:the-)?author|bio-?box|byline\S*|by-?line|dateline|post-?meta|entry-?meta|article-?meta|meta-?(?:data|info)|entry-?footer|post-?footer|article-?footer|tags?|tag-?(?:list|cloud|links)|tagcloud|post-?tags|cat-?links|post-?categor\w+|edit-?link|editsection|mw-editsection|disclaimer|trending|most-?(?:popular|read|viewed)|popular-?\w*|latest-?(?:posts|news)|rating-?(?:form|stars)?|star-?rating|testimonials?-?carousel|instagram\S*|rss|feed-?links|language-?(?:switch\w*|select\w*|list)|lang-?switch\w*|wpml\S*|headerlink|reflist|references|navbox|catlinks|mw-jump-link|noexcerpt|infobox|ambox|metadata|cta|call-?to-?action|hero-?cta|affiliate-?\w*|leaderboard|video-?(?:player|playlist)|jw-?player\S*|carousel-?(?:nav|control)\S*|slick-?(?:dots|arrow)|swiper-?(?:button|pagination)\S*|wp-block-latest-posts\S*|jp-relatedposts)(?:$|[\s_-])`,
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

/**
 * Is this element, with all that is inside, something other than the page's own text? `share` is its part of the page's prose: a theme's
 * `has-sidebar` on the element that holds everything says nothing.
 */
export function isBoilerplate(element: Element, type: PageType, share: number): boolean {
  const { name, attributes } = element
  if (name === 'body' || name === 'html' || name === '#root') return false
  if (isHidden(element)) return share < LARGE
  if (name === 'nav' || name === 'aside' || name === 'footer') return share < LARGE
  if (attributes['role'] !== undefined && FRAME_ROLES.test(attributes['role'])) return share < LARGE
  if (name === 'main' || name === 'article') return false
  if (name === 'header') return element.parent?.name === 'body' && share < LARGE
  if (name === 'form' && type !== 'forum') return share < 0.3
  const marks = element.marks
  if (marks === ' ' || CONTENT.test(marks)) return false
  if (type !== 'forum' && COMMENTS.test(marks)) return share < LARGE_COMMENTS
  return share < LARGE && ALWAYS.test(marks)
}

function isHidden(element: Element): boolean {
  const { hidden, style } = element.attributes
  if (hidden !== undefined && hidden !== 'until-found') return true
  if (element.attributes['aria-hidden'] === 'true' && element.name !== 'div' && element.name !== 'section') return true
  return style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)
}
