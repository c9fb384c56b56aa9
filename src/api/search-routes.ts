import { Type } from 'typebox'
import type { ErrorCode } from './errors.ts'
import type { Route, RouteDoc } from './routes.ts'
import { handleSearchKeys, handleSearchPage, handleSearchStyle } from './search-page/handle.ts'
import { handleDescription } from './search-page/open-search-description.ts'
import { handleCopy } from './stored/copy.ts'
import { handleIcon, handleThumbnail } from './stored/picture.ts'
import { handleEnvelope, handleImages, handleVideos, handleWebSearch } from './web-search/handle.ts'
import {
  imagesSchema,
  searchEnvelopeSchema,
  searchRequestSchema,
  searchResponseSchema,
  videosSchema,
} from './web-search/schema.ts'

const ERRORS: ErrorCode[] = [
  'invalid_request',
  'key_rejected',
  'scope_missing',
  'address_refused',
  'address_flood',
  'minute_spent',
  'day_spent',
  'too_many_at_once',
  'internal',
  'closing',
]
const BODY_ERRORS: ErrorCode[] = [...ERRORS, 'request_failed', 'request_timeout', 'body_too_large', 'media_type']

const request = { name: 'SearchRequest', schema: searchRequestSchema }
const response = { name: 'SearchResponse', schema: searchResponseSchema }
/** In a query string an array is a text with commas between. */
const inQuery = Type.Object({
  ...searchRequestSchema.properties,
  include: Type.Optional(Type.String({ description: 'Only these domains, with `|` or `,` between; at most 100.' })),
  exclude: Type.Optional(Type.String({ description: 'None of these domains.' })),
})

/** The rows of everything that searches, and of what a result's links lead to. */
export const SEARCH_ROUTES: readonly Route[] = [
  {
    path: '/api/web-search',
    method: 'POST',
    who: 'key',
    perMinute: Infinity,
    handle: handleWebSearch,
    doc: {
      id: 'searchWeb',
      summary: 'Search the web',
      description: 'Pages, images and videos of the index of this server. No hits: an empty `value`, total 0.',
      request,
      response,
      errors: BODY_ERRORS,
    },
  },
  {
    path: '/api/web-search',
    method: 'GET',
    who: 'open',
    searches: true,
    perMinute: Infinity,
    handle: handleWebSearch,
    doc: keyless('searchWebByAddress', 'Search the web, by its address alone', response),
  },
  {
    path: '/v1/web-search',
    method: 'POST',
    who: 'key',
    perMinute: Infinity,
    handle: handleEnvelope,
    doc: {
      id: 'searchWebInEnvelope',
      summary: 'Search the web, answer in an envelope',
      description: 'The same search for client libraries that expect `code`, `log_id`, `msg` and `data`.',
      request,
      response: { name: 'SearchEnvelope', schema: searchEnvelopeSchema },
      errors: BODY_ERRORS,
    },
  },
  {
    path: '/api/v1/images',
    method: 'GET',
    who: 'open',
    searches: true,
    perMinute: Infinity,
    handle: handleImages,
    doc: keyless('searchImages', 'Search images', { name: 'Images', schema: imagesSchema }),
  },
  {
    path: '/api/v1/videos',
    method: 'GET',
    who: 'open',
    searches: true,
    perMinute: Infinity,
    handle: handleVideos,
    doc: keyless('searchVideos', 'Search videos', { name: 'Videos', schema: videosSchema }),
  },
  { path: '/search', method: 'GET', who: 'open', searches: true, perMinute: Infinity, handle: handleSearchPage },
  { path: '/search/style.css', method: 'GET', who: 'public', perMinute: 600, handle: handleSearchStyle },
  { path: '/search/keys.js', method: 'GET', who: 'public', perMinute: 600, handle: handleSearchKeys },
  { path: '/search/opensearch.xml', method: 'GET', who: 'public', perMinute: 600, handle: handleDescription },
  { path: '/copy/:id', method: 'GET', who: 'open', perMinute: 300, handle: handleCopy },
  { path: '/thumb/:signature', method: 'GET', who: 'open', perMinute: 3000, handle: handleThumbnail },
  { path: '/icon/:signature', method: 'GET', who: 'open', perMinute: 3000, handle: handleIcon },
]

function keyless(id: string, summary: string, answer: RouteDoc['response']): RouteDoc {
  const description =
    'Parameters stand in the query string. Without a key it is served where the operator lets everyone search, which is so on a loopback address; each client address then has a strict limit of its own.'
  return { id, summary, description, query: inQuery, response: answer, errors: ERRORS }
}
