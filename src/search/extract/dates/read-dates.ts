import { DATE_CONFIDENCE_MIN, type PageType } from '../../document.ts'
import type { Element } from '../dom/element.ts'
import { textOf } from '../dom/text.ts'
import { isOfType, textValue, type Thing } from '../facts/linked-data.ts'
import { ARTICLE_TYPES, FORUM_TYPES, type Page } from '../facts/page.ts'
import { parseDate, type WrittenDate } from './parse-date.ts'
import { readScriptDate } from './script-dates.ts'
import { fromShown, fromUpdates, UPDATED } from './shown-dates.ts'

/** A date and how sure it is that the page was published then. `source` is for tests and for people who wonder. */
export type FoundDate = WrittenDate & { confidence: number; source: string }

/** Meta names, as content systems write them, and how often they mean publication. */
const META: [names: string, confidence: number][] = [
  ['article:published_time', 0.93],
  [
    'og:article:published_time og:published_time og:pubdate rnews:datepublished article:published article:publication_date datepublished shareaholic:article_published_time vr:published_time mediator_published_time twt-published-at',
    0.9,
  ],
  [
    'parsely-pub-date sailthru.date publish-date publish_date publishdate publication_date pubdate cxenseparse:recs:publishtime article.published published-date published_time_telegram dcterms.issued dc.date.issued dc.issued dateposted bt:pubdate pdate ptime article_date_original dcsext.articlefirstpublished displaydate prism.publicationdate item:publication_date published publishedat release_date',
    0.88,
  ],
  [
    'citation_publication_date citation_date citation_online_date dc.date dc.date.created dcterms.created dcterms.date article:create_at article:post_date date_published article.created creation_date content_create_date date_created datecreated dc.created bepress_citation_date eprints.date',
    0.8,
  ],
  ['date created-date originalpublicationdate doc_date cdate gentime', 0.6],
]
const LABEL =
  /(?:publish(?:ed)?|posted|written|created|released?|date|on|veröffentlicht|erstellt|stand|publié|publicado|publicada|pubblicato|gepubliceerd|publicerad|опубликован\w*|发布(?:时间|日期|于)?|发表于|日期|投稿日|公開日?|작성일|등록일)\s*(?:date|on|at|am|le|el|il|op)?\s*[:：]?\s*$/iu
const DATE_MARKS =
  /(?:^|[\s_-])(?:(?:entry|post|article|publish(?:ed)?|pub|created?|story|blog|news)-?(?:date|time|on|at)|date|dateline|timestamp|published|posted-?on|pubdate|byline\S*|meta|post-?meta|entry-?meta|article-?meta)(?:$|[\s_-])/
const FOOTER =
  /(?:^|[\s_-])(?:footer|copyright|comments?|related\S*|sidebar\S*|recent\S*|events?|calendar|nav\S*)(?:$|[\s_-])/

/** When the page says it was published: the likeliest date, or undefined. */
export function readPublished(page: Page, type: PageType, language: string | undefined): FoundDate | undefined {
  const rules = { monthFirst: isMonthFirst(page, language), latest: page.fetchedAt + 2 * 86_400_000 }
  const read = (text: string | undefined, confidence: number, source: string): FoundDate[] => {
    const date = text === undefined ? undefined : parseDate(text, rules)
    return date === undefined ? [] : [{ ...date, confidence, source }]
  }
  const found = [
    ...fromThings(page, read),
    ...fromMeta(page, read),
    ...read(readScriptDate(page.html), 0.66, 'script'),
    ...fromUrl(page, read),
    ...fromElements(page, type, read),
    ...fromShown(page, type, read),
  ]
  if (!found.some(({ confidence }) => confidence >= DATE_CONFIDENCE_MIN)) found.push(...fromUpdates(page, read))
  const changed = modifiedDays(page, rules)
  // A line that shows when the page was changed does not speak against what is told of its publication.
  const first = mostSure(
    found.map((date) => (date.source === 'shown' && changed.has(date.day) ? { ...date, confidence: 0.75 } : date)),
  )
  if (first === undefined) return undefined
  const best =
    isExact(first) && first.source !== 'shown'
      ? first
      : (mostSure(found.filter((date) => isExact(date) && isNear(date, first))) ?? first)
  const agreeing = found.some((date) => kindOf(date) !== kindOf(best) && date.day === best.day)
  return { ...best, confidence: Math.min(0.99, best.confidence + (agreeing ? 0.1 : 0)) }
}

function modifiedDays(page: Page, rules: { monthFirst: boolean; latest: number }): Set<string> {
  const told = [...page.linkedData, ...page.microdata].map((thing) => textValue(thing['dateModified']))
  const written = [
    ...told,
    ...(page.head.meta.get('article:modified_time') ?? []),
    ...(page.head.meta.get('og:updated_time') ?? []),
  ]
  return new Set(written.flatMap((text) => (text === undefined ? [] : (parseDate(text, rules)?.day ?? []))))
}

/** A day, or midnight as systems write one: another source may tell the hour, and then the day by its own zone. */
function isExact({ at, dayOnly }: FoundDate): boolean {
  return !dayOnly && at % 86_400_000 !== 0
}

function isNear(a: FoundDate, b: FoundDate): boolean {
  return Math.abs(a.at - b.at) < NEAR_MS
}

/** Where a date was found: two readings of one line do not confirm each other. */
function kindOf({ source }: FoundDate): 'url' | 'told' | 'shown' {
  if (source === 'url') return 'url'
  return source.startsWith('meta') || source === 'script' || source === 'json-ld' || source === 'microdata'
    ? 'told'
    : 'shown'
}

const NEAR_MS = 36 * 3_600_000

function mostSure(dates: FoundDate[]): FoundDate | undefined {
  return dates.reduce<FoundDate | undefined>(
    (best, next) => (best === undefined || next.confidence > best.confidence ? next : best),
    undefined,
  )
}

type Read = (text: string | undefined, confidence: number, source: string) => FoundDate[]

function fromThings(page: Page, read: Read): FoundDate[] {
  const from = (things: Thing[], less: number, source: string): FoundDate[] => {
    const dates = things.flatMap((thing) => {
      const main = isOfType(thing, ARTICLE_TYPES) || isOfType(thing, FORUM_TYPES)
      const webPage = isOfType(thing, WEB_PAGES)
      if (!main && !webPage) return []
      const published = textValue(
        thing['datePublished'] ?? (main ? (thing['uploadDate'] ?? thing['dateCreated']) : undefined),
      )
      return read(published, (main ? 0.95 : 0.8) - less, source)
    })
    // Several articles on one page are teasers of others, or posts under the first.
    const several = new Set(dates.map(({ day }) => day)).size > SEVERAL
    return several ? dates.map((date, i) => ({ ...date, confidence: i === 0 ? 0.7 : 0.4 })) : dates
  }
  return [...from(page.linkedData, 0, 'json-ld'), ...from(page.microdata, 0.05, 'microdata')]
}
/** A page and its article may tell one date each. */
const SEVERAL = 2
const WEB_PAGES = new Set(['WebPage', 'ItemPage', 'AboutPage', 'ProfilePage', 'MedicalWebPage', 'FAQPage'])

function fromMeta(page: Page, read: Read): FoundDate[] {
  return META.flatMap(([names, confidence]) =>
    names.split(' ').flatMap((name) => read(page.head.meta.get(name)?.[0], confidence, `meta ${name}`)),
  )
}

/** `/2025/09/04/` in the address is the day a system filed the page under. */
function fromUrl(page: Page, read: Read): FoundDate[] {
  const match = /[/_-]((?:19|20)\d{2})[/_-](\d{1,2})[/_-](\d{1,2})(?:[/_.-]|$)/.exec(new URL(page.url).pathname)
  const compact = /\/((?:19|20)\d{2})(0[1-9]|1[0-2])([0-2]\d|3[01])(?:[/_.-]|$)/.exec(new URL(page.url).pathname)
  const parts = match ?? compact
  return parts === null
    ? []
    : read(`${parts[1]}-${parts[2]?.padStart(2, '0')}-${parts[3]?.padStart(2, '0')}`, 0.78, 'url')
}

/** `<time>` elements, and short elements whose class or label says date. */
function fromElements(page: Page, type: PageType, read: Read): FoundDate[] {
  const found: FoundDate[] = []
  let looked = 0
  const heading = page.tree.elements.find((element) => element.name === 'h1')
  for (const element of page.tree.elements) {
    if (looked > 400 || found.length > 40) break
    const { name, attributes } = element
    const published = attributes['itemprop']?.includes('datePublished') === true
    if (!(name === 'time' || published || attributes['pubdate'] !== undefined || DATE_MARKS.test(element.marks)))
      continue
    if (element.last - element.order > 25 || isElsewhere(element)) continue
    looked++
    found.push(...fromElement(element, { heading, first: found.length === 0, forum: type === 'forum', read }))
  }
  return found
}

type Place = { heading: Element | undefined; first: boolean; forum: boolean; read: Read }

function fromElement(element: Element, { heading, first, forum, read }: Place): FoundDate[] {
  const { datetime, itemprop, pubdate, content, title } = element.attributes
  const text = textOf(element, 200)
  const around = element.name === 'time' && element.parent !== undefined ? textOf(element.parent, 120) : text
  const updated = UPDATED.test(`${itemprop ?? ''} ${element.marks} ${text.split(/\d/)[0] ?? ''}`)
  const labelled = LABEL.test(around.split(/\d/)[0] ?? '') || pubdate !== undefined
  let confidence = element.name === 'time' ? 0.68 : 0.6
  if (itemprop?.includes('datePublished') === true) confidence = 0.88
  else if (labelled) confidence += 0.12
  if (first) confidence += 0.06
  if (heading !== undefined && Math.abs(element.order - heading.order) < 60) confidence += 0.05
  if (forum && first) confidence += 0.1
  if (updated || UPDATED.test(around.split(/\d/)[0] ?? '')) confidence -= 0.4
  const source = element.name === 'time' ? 'time' : 'text'
  for (const value of [datetime, content, text, title]) {
    const date = read(value, confidence, source)
    if (date.length > 0) return date
  }
  return []
}

function isElsewhere(element: Element): boolean {
  for (let at: Element | undefined = element, level = 0; at !== undefined && level < 12; at = at.parent, level++) {
    if (at.name === 'footer' || at.name === 'aside' || at.name === 'nav') return true
    if (at.name !== 'body' && at.name !== 'html' && at.marks !== ' ' && FOOTER.test(at.marks)) return true
  }
  return false
}

/** 03/04/2025 is the 4th of March in American pages and the 3rd of April in most others. */
function isMonthFirst(page: Page, language: string | undefined): boolean {
  const tag = page.head.language.toLowerCase()
  if (/^en-(?:gb|au|nz|ie|in|za)/.test(tag) || /\.(?:uk|au|nz|ie|in|za)$/.test(new URL(page.url).hostname)) return false
  return language === undefined || language === 'en'
}
