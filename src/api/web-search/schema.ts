import { Type, type TSchema } from 'typebox'

/** The wire form of web search. The parser reads ranges and defaults from here; OpenAPI and the reference are made of it. */

/** null for an optional field is as if it were absent. */
function optional<S extends TSchema>(schema: S) {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}

/** What is not known is null. */
function known<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

export const QUERY_CHARACTERS_MAX = 2000
export const DOMAINS_MAX = 100
export const FILTERS = ['webPages', 'images', 'videos'] as const
export const SPANS = { oneDay: 1, oneWeek: 7, oneMonth: 30, oneYear: 365 } as const

/** Ranges and defaults. */
export const fields = {
  count: { type: 'integer', minimum: 1, maximum: 50, default: 10, description: 'Results per page.' },
  offset: {
    type: 'integer',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description:
      'How many results to pass over. Beyond the first 1,000 the list is empty. (An installation may count it in pages.)',
  },
  page: {
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The page, from 1, instead of `offset`; both at once: 400.',
  },
} as const

const domains = (description: string) =>
  optional(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: DOMAINS_MAX })], { description }))

export const searchRequestSchema = Type.Object({
  query: Type.String({
    minLength: 1,
    maxLength: QUERY_CHARACTERS_MAX,
    description:
      'What to look for. Understands `site:`, `-site:`, `-word`, `"a phrase"`, `intitle:`, `filetype:` and `lang:`.',
  }),
  count: optional(Type.Integer(fields.count)),
  offset: optional(Type.Integer(fields.offset)),
  page: optional(Type.Integer(fields.page)),
  freshness: optional(
    Type.String({
      default: 'noLimit',
      description:
        '`noLimit`, `oneDay`, `oneWeek`, `oneMonth`, `oneYear` (the last 24 hours, 7, 30, 365 days), a day `YYYY-MM-DD` or a range `YYYY-MM-DD..YYYY-MM-DD`: calendar days of UTC+8, both ends inclusive.',
    }),
  ),
  include: domains(
    'Only these domains and what stands under them: an array, or a string with `|` or `,` between; at most 100.',
  ),
  exclude: domains('None of these domains; written like `include`.'),
  responseFilter: optional(
    Type.String({
      description:
        'What to answer with: some of `webPages`, `images`, `videos` with commas between, or each with a minus to leave it out. Without it all that were found.',
    }),
  ),
  summary: optional(
    Type.Boolean({ default: true, description: 'false leaves out `summary`, the longer extract of each page.' }),
  ),
})

const timestamp = known(Type.String({ description: 'In UTC+8: `2025-02-23T08:18:30+08:00`.' }))
const size = Type.Object({ width: Type.Integer(), height: Type.Integer() })
const named = Type.Object({ name: Type.String() })

const pageSchema = Type.Object({
  id: Type.String({ description: 'Ends in the place of the result in this answer.' }),
  name: Type.String({ description: 'The title.' }),
  url: Type.String(),
  displayUrl: Type.String({ description: 'The URL decoded, to be shown.' }),
  snippet: Type.String({ description: '150 to 250 characters around the matches, plain text.' }),
  summary: Type.Optional(Type.String({ description: 'An extract of 300 to 1,000 characters, plain text.' })),
  siteName: known(Type.String()),
  siteIcon: known(Type.String({ description: 'A link to this server.' })),
  datePublished: timestamp,
  dateLastCrawled: Type.String({ description: 'When this server fetched it, in UTC+8.' }),
  cachedPageUrl: Type.String({ description: 'The page as it was fetched, kept by this server.' }),
  language: known(Type.String({ description: 'Two letters.' })),
  isFamilyFriendly: Type.Boolean(),
  isNavigational: Type.Boolean({ description: 'The query names this site.' }),
  deepLinks: Type.Array(Type.Object({ name: Type.String(), url: Type.String(), snippet: Type.String() })),
})

const imageSchema = Type.Object({
  webSearchUrl: Type.String(),
  name: Type.String(),
  thumbnailUrl: Type.String({ description: 'A link to this server.' }),
  datePublished: timestamp,
  contentUrl: Type.String(),
  hostPageUrl: Type.String(),
  contentSize: known(Type.String({ description: 'For instance `360493 B`.' })),
  encodingFormat: known(Type.String({ description: 'For instance `jpeg`.' })),
  hostPageDisplayUrl: Type.String(),
  width: Type.Optional(Type.Integer()),
  height: Type.Optional(Type.Integer()),
  thumbnail: known(size),
})

const videoSchema = Type.Object({
  webSearchUrl: Type.String(),
  name: Type.String(),
  description: Type.String(),
  thumbnailUrl: known(Type.String({ description: 'A link to this server.' })),
  publisher: known(Type.Array(named)),
  creator: known(named),
  contentUrl: Type.String({ description: 'The file, or the page that plays it.' }),
  hostPageUrl: Type.String(),
  encodingFormat: known(Type.String({ description: 'For instance `mp4`.' })),
  hostPageDisplayUrl: Type.String(),
  width: Type.Optional(Type.Integer()),
  height: Type.Optional(Type.Integer()),
  duration: known(Type.String({ description: 'ISO 8601, for instance `PT6M6S`.' })),
  motionThumbnailUrl: known(Type.String()),
  embedHtml: known(Type.String({ description: 'Made by this server for players it knows, never copied from a page.' })),
  allowHttpsEmbed: Type.Boolean(),
  viewCount: Type.Optional(Type.Integer()),
  thumbnail: known(size),
  allowMobileEmbed: Type.Boolean(),
  isSuperfresh: Type.Boolean({ description: 'Published within the last 24 hours.' }),
  datePublished: timestamp,
})

export const imagesSchema = Type.Object({
  id: Type.String(),
  readLink: Type.String({ description: 'The same as JSON, from this server.' }),
  webSearchUrl: Type.String({ description: 'The same as a page for people.' }),
  isFamilyFriendly: Type.Boolean(),
  value: Type.Array(imageSchema),
})

export const videosSchema = Type.Object({
  id: Type.String(),
  readLink: Type.String(),
  webSearchUrl: Type.String(),
  isFamilyFriendly: Type.Boolean(),
  scenario: Type.Enum(['List', 'SingleDominantVideo']),
  value: Type.Array(videoSchema),
})

export const searchResponseSchema = Type.Object({
  _type: Type.Literal('SearchResponse'),
  queryContext: Type.Object({ originalQuery: Type.String({ description: 'The query as sent.' }) }),
  webPages: Type.Optional(
    Type.Object({
      webSearchUrl: Type.String({ description: 'The same search as a page for people.' }),
      totalEstimatedMatches: Type.Integer({ description: 'The same on every page of one query.' }),
      value: Type.Array(pageSchema),
      someResultsRemoved: Type.Boolean({ description: 'The safety filter took at least one out.' }),
    }),
  ),
  images: Type.Optional(imagesSchema),
  videos: Type.Optional(videosSchema),
})

export const searchEnvelopeSchema = Type.Object({
  code: Type.Literal(200),
  log_id: Type.String(),
  msg: Type.Null(),
  data: searchResponseSchema,
})
