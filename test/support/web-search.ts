import { SEARCH_KEY, type TestServer } from './api-server.ts'
import type { Reply, SendOptions } from './https-client.ts'

export type SearchBody = {
  _type: string
  queryContext: { originalQuery: string }
  webPages: {
    webSearchUrl: string
    totalEstimatedMatches: number
    value: Record<string, unknown>[]
    someResultsRemoved: boolean
  }
  images: Media
  videos: Media & { scenario: string }
}
export type Media = {
  id: string
  readLink: string
  webSearchUrl: string
  isFamilyFriendly: boolean
  value: Record<string, unknown>[]
}

/** POST /api/web-search with `fields` over a plain valid request. */
export function searchWeb(server: TestServer, fields: object = {}, options: SendOptions = {}): Promise<Reply> {
  return server.send('/api/web-search', {
    key: SEARCH_KEY,
    body: JSON.stringify({ query: 'sea', ...fields }),
    ...options,
  })
}
