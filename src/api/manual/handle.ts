import type { Answer } from '../answer.ts'
import type { Call } from '../call.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../errors.ts'
import { renderManualPage } from './render.ts'
import { renderFeed, renderRobots, renderSitemap } from './site-files.ts'

/** Pages load their own style, pictures and film, and nothing else from anywhere. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-cache',
}
const FILE_HEADERS = {
  // An animated picture brings its own style; opened by itself it may do no more than that.
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'cache-control': 'max-age=3600',
}

/** GET /docs/ and /docs/:page/ */
export function handleManualPage(call: Call, deps: Deps): Answer {
  const page = deps.manual.find(call.parameters['page'] ?? '')
  if (page === undefined) throw new ApiError('not_found', { text: 'The manual has no such page; it begins at /docs/.' })
  const html = renderManualPage(page, deps.manual, deps.baseUrl())
  const headers = {
    ...PAGE_HEADERS,
    'content-language': page.language,
    ...(page.updated === undefined ? {} : { 'last-modified': new Date(page.updated).toUTCString() }),
  }
  return { kind: 'text', type: 'text/html; charset=utf-8', text: html, headers }
}

/** GET /docs/:page, as people type it. */
export function handleManualName(call: Call, deps: Deps): Answer {
  const name = call.parameters['page'] ?? ''
  if (deps.manual.find(name) === undefined) throw new ApiError('not_found')
  return { kind: 'redirect', to: `/docs/${name}/` }
}

export function handleManualMedia(call: Call, deps: Deps): Answer {
  const file = deps.manual.media(call.parameters['file'] ?? '')
  if (file === undefined) throw new ApiError('not_found')
  return { kind: 'bytes', ...file, headers: FILE_HEADERS }
}

export function handleSitemap(_call: Call, deps: Deps): Answer {
  return { kind: 'text', type: 'application/xml; charset=utf-8', text: renderSitemap(deps.manual, deps.baseUrl()) }
}

export function handleFeed(_call: Call, deps: Deps): Answer {
  return { kind: 'text', type: 'application/atom+xml; charset=utf-8', text: renderFeed(deps.manual, deps.baseUrl()) }
}

export function handleRobots(_call: Call, deps: Deps): Answer {
  return { kind: 'text', type: 'text/plain; charset=utf-8', text: renderRobots(deps.baseUrl()) }
}
