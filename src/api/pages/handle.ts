import type { Answer } from '../answer.ts'
import type { Call } from '../call.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../errors.ts'
import { renderOpenApi } from '../openapi.ts'
import { renderFirstPage } from './first-page.ts'
import { ICON, STYLE } from './page.ts'
import { renderReference } from './reference.ts'

/** Pages load their style and icon from here and nothing else from anywhere. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-cache',
}
const ASSET_HEADERS = { 'cache-control': 'max-age=3600' }

export function handleFirstPage(_call: Call, deps: Deps): Answer {
  const models = deps.engine.health().models
  const fingerprint = deps.tls.authority?.fingerprint
  return page(
    renderFirstPage({ baseUrl: deps.baseUrl(), models, fingerprint, ownAuthority: deps.tls.authority !== undefined }),
  )
}

export function handleReference(_call: Call, deps: Deps): Answer {
  const document = renderOpenApi(deps.routes, { version: deps.version, baseUrl: deps.baseUrl() })
  return page(renderReference(document, { baseUrl: deps.baseUrl(), ownAuthority: deps.tls.authority !== undefined }))
}

export function handleOpenApi(_call: Call, deps: Deps): Answer {
  return { kind: 'json', body: renderOpenApi(deps.routes, { version: deps.version, baseUrl: deps.baseUrl() }) }
}

/** The authority that clients trust; public by nature. */
export function handleAuthority(_call: Call, deps: Deps): Answer {
  const authority = deps.tls.authority
  if (authority === undefined) {
    throw new ApiError('not_found', {
      text: 'This server has no authority of its own: its certificate comes from elsewhere.',
    })
  }
  const headers = { 'content-disposition': 'attachment; filename="unmask-ca.pem"' }
  return { kind: 'text', type: 'application/x-pem-file', text: authority.pem, headers }
}

export function handleStyle(): Answer {
  return { kind: 'text', type: 'text/css; charset=utf-8', text: STYLE, headers: ASSET_HEADERS }
}

export function handleIcon(): Answer {
  return { kind: 'text', type: 'image/svg+xml', text: ICON, headers: ASSET_HEADERS }
}

function page(html: string): Answer {
  return { kind: 'text', type: 'text/html; charset=utf-8', text: html, headers: PAGE_HEADERS }
}
