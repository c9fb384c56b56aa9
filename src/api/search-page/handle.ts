import { readFileSync } from 'node:fs'
import type { Answer } from '../answer.ts'
import type { Call } from '../call.ts'
import type { Deps } from '../deps.ts'
import { ApiError, renderError } from '../errors.ts'
import { createLinks } from '../web-search/links.ts'
import { parseSearchRequest } from '../web-search/parse-request.ts'
import { runSearch } from '../web-search/run-search.ts'
import { readAsked, toFields, type Asked } from './read-asked.ts'
import { renderEmptySearch, renderRefused, renderResults } from './render.ts'

const STYLE = readFileSync(new URL('search.css', import.meta.url), 'utf8')
const SCRIPT = readFileSync(new URL('keys.js', import.meta.url), 'utf8')
const ASSET_HEADERS = { 'cache-control': 'max-age=3600' }

/** It loads its own style, keys and pictures, and sends its form to itself; nothing comes from or goes to elsewhere. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-robots-tag': 'noindex',
  'cache-control': 'private, no-cache',
}

/** GET /search: the results as a page for people. Works without its script. */
export async function handleSearchPage(call: Call, deps: Deps): Promise<Answer> {
  const asked = readAsked(call.query)
  if (asked.query === '') return page(renderEmptySearch(deps.search.stats().pages))
  try {
    return page(await search(asked, call, deps))
  } catch (error) {
    // Words about a query go where it was typed; everything else is answered as on every path.
    if (!(error instanceof ApiError) || error.code !== 'invalid_request') throw error
    return page(renderRefused(asked, renderError(error).error.message), error.status)
  }
}

async function search(asked: Asked, call: Call, deps: Deps): Promise<string> {
  const now = deps.clock.now()
  const rules = { offsetUnit: 'result', deadlineMs: deps.options.searchDeadlineMs, now } as const
  const request = parseSearchRequest(toFields(asked), rules)
  const answer = await runSearch(request, call, deps)
  // Without the host: the page may have been opened under another name of this server.
  const links = createLinks('', deps.linkKey, { query: asked.query, freshness: undefined })
  return renderResults({ asked, answer, links, now })
}

export function handleSearchStyle(): Answer {
  return { kind: 'text', type: 'text/css; charset=utf-8', text: STYLE, headers: ASSET_HEADERS }
}

export function handleSearchKeys(): Answer {
  return { kind: 'text', type: 'text/javascript; charset=utf-8', text: SCRIPT, headers: ASSET_HEADERS }
}

function page(html: string, status = 200): Answer {
  return { kind: 'text', status, type: 'text/html; charset=utf-8', text: html, headers: PAGE_HEADERS }
}
