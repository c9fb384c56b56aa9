import type { SearchAnswer } from '../../search/search.ts'
import type { Answer } from '../answer.ts'
import type { Call } from '../call.ts'
import type { Deps } from '../deps.ts'
import type { Fields } from '../read-field.ts'
import { readJsonObject } from '../read-json.ts'
import { createLinks } from './links.ts'
import { parseSearchRequest } from './parse-request.ts'
import { readQuery } from './read-query.ts'
import { renderImages, renderSearchResponse, renderVideos, type Rendering } from './render.ts'
import { runSearch } from './run-search.ts'

/** POST and GET /api/web-search. */
export async function handleWebSearch(call: Call, deps: Deps): Promise<Answer> {
  const { answer, rendering } = await answerTo(readFields(call), call, deps)
  return { kind: 'json', body: renderSearchResponse(answer, rendering) }
}

/** POST /v1/web-search: the same in the envelope that client libraries of this format expect. */
export async function handleEnvelope(call: Call, deps: Deps): Promise<Answer> {
  const { answer, rendering } = await answerTo(readFields(call), call, deps)
  const data = renderSearchResponse(answer, rendering)
  return { kind: 'json', body: { code: 200, log_id: call.requestId, msg: null, data } }
}

/** GET /api/v1/images: where `images.readLink` leads. */
export async function handleImages(call: Call, deps: Deps): Promise<Answer> {
  const { answer, rendering } = await answerTo({ ...readFields(call), responseFilter: 'images' }, call, deps)
  return { kind: 'json', body: renderImages(answer.images.results, rendering) }
}

/** GET /api/v1/videos: where `videos.readLink` leads. */
export async function handleVideos(call: Call, deps: Deps): Promise<Answer> {
  const { answer, rendering } = await answerTo({ ...readFields(call), responseFilter: 'videos' }, call, deps)
  return { kind: 'json', body: renderVideos(answer.videos, rendering) }
}

function readFields(call: Call): Fields {
  return call.method === 'POST' ? readJsonObject(call.body) : readQuery(call.query)
}

async function answerTo(wire: Fields, call: Call, deps: Deps): Promise<{ answer: SearchAnswer; rendering: Rendering }> {
  const { options, linkKey } = deps
  const now = deps.clock.now()
  const request = parseSearchRequest(wire, {
    offsetUnit: options.offsetUnit,
    deadlineMs: options.searchDeadlineMs,
    now,
  })
  const freshness = typeof wire['freshness'] === 'string' ? wire['freshness'] : undefined
  const links = createLinks(deps.baseUrl(), linkKey, { query: request.query, freshness })
  return { answer: await runSearch(request, call, deps), rendering: { request, links, now } }
}
