import { renderError, type ApiError, type ErrorBody } from '../errors.ts'

/** The error object, and beside it what existing clients of this format read. */
export type SearchErrorBody = ErrorBody & { _type: 'ErrorResponse'; code: string; message: string; log_id: string }

const SEARCH_PATH = /^\/(?:api\/web-search|v1\/web-search|api\/v1\/(?:images|videos))\/?(?:$|\?)/

/** Is the answer at this path read by clients of the search format? */
export function isSearchPath(url: string): boolean {
  return SEARCH_PATH.test(url)
}

export function renderSearchError(error: ApiError, requestId: string): SearchErrorBody {
  const body = renderError(error)
  const { code, message } = body.error
  return { _type: 'ErrorResponse', code: String(code), message, log_id: requestId, ...body }
}
