/**
 * Every failure the API can answer with: ONE table, and one place that renders. A request we cannot serve is an
 * `ApiError`, thrown only in `api/`; what anything else throws is our own bug and becomes `internal`.
 */

/** What the texts of the table and the answer are made of. Never a prompt, a reply or a key. */
export type Particulars = {
  /** The field at fault, as the caller wrote it: `messages[0].content`. */
  param?: string
  /** The whole sentence, where the table has none. */
  text?: string
  /** Goes out as `error.detail` beside the fixed message `Request failed.` */
  detail?: string
  headers?: Record<string, string>
}

type Row = readonly [status: number, type: ErrorType, text: (p: Particulars) => string]

type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'timeout_error'
  | 'server_error'

/** code: [HTTP status, type on the wire, text for the caller] */
export const ERRORS = {
  invalid_request: [400, 'invalid_request_error', (p) => p.text ?? 'The request is not valid.'],
  request_failed: [400, 'invalid_request_error', () => 'Request failed.'],
  malformed_http: [400, 'invalid_request_error', () => 'The bytes received are not an HTTP/1.1 request.'],
  key_rejected: [401, 'authentication_error', (p) => p.text ?? 'The API key is missing or invalid.'],
  plain_http: [403, 'permission_error', () => 'This API answers over HTTPS only: use https:// in the base URL.'],
  scope_missing: [403, 'permission_error', (p) => p.text ?? 'The API key lacks the scope for this.'],
  address_refused: [403, 'permission_error', () => 'The API key may not be used from this address.'],
  not_found: [404, 'not_found_error', (p) => p.text ?? 'There is nothing at this path.'],
  method_not_allowed: [405, 'invalid_request_error', (p) => p.text ?? 'This method is not allowed here.'],
  request_timeout: [408, 'timeout_error', () => 'The request did not arrive in time.'],
  body_too_large: [413, 'invalid_request_error', () => 'Request failed.'],
  media_type: [415, 'invalid_request_error', (p) => p.text ?? 'Send the header Content-Type: application/json.'],
  minute_spent: [429, 'rate_limit_error', (p) => p.text ?? 'Too many requests this minute.'],
  day_spent: [429, 'rate_limit_error', (p) => p.text ?? 'The calls of this day are used up.'],
  too_many_at_once: [429, 'rate_limit_error', (p) => p.text ?? 'Too many calls of this account at once.'],
  address_flood: [429, 'rate_limit_error', () => 'Too many requests from this address; wait and try again.'],
  overloaded: [429, 'rate_limit_error', () => 'The server is busy and could not begin in time; try again later.'],
  headers_too_large: [431, 'invalid_request_error', () => 'The request headers are too large.'],
  client_left: [499, 'invalid_request_error', () => 'The client closed the connection.'],
  internal: [500, 'server_error', () => 'Internal server error.'],
  engine_failed: [
    500,
    'server_error',
    () => 'Internal server error: the engine could not finish this reply; try again.',
  ],
  closing: [503, 'server_error', () => 'The server is closing; try again shortly.'],
  not_ready: [503, 'server_error', () => 'The models are not loaded yet; try again shortly.'],
  timed_out: [504, 'timeout_error', () => 'The request took too long.'],
} as const satisfies Record<string, Row>

export type ErrorCode = keyof typeof ERRORS

/** A request that is answered with an error. `reason` is for the log alone. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly particulars: Particulars
  readonly reason: string | undefined

  constructor(code: ErrorCode, particulars: Particulars = {}, reason?: string) {
    super(code)
    this.code = code
    this.particulars = particulars
    this.reason = reason
  }

  get status(): number {
    return ERRORS[this.code][0]
  }
}

export type ErrorBody = {
  error: { code: number; message: string; type: ErrorType; param: string | null; detail?: string }
}

/** The error object of the contract. */
export function renderError(error: ApiError): ErrorBody {
  const [status, type, text]: Row = ERRORS[error.code]
  const { param, detail } = error.particulars
  return {
    error: {
      code: status,
      message: text(error.particulars),
      type,
      param: param ?? null,
      ...(detail === undefined ? {} : { detail }),
    },
  }
}

/** Codes of the HTTP framework and of sockets, in our own words. */
const FOREIGN: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_http',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  ECONNRESET: 'client_left',
  ERR_STREAM_PREMATURE_CLOSE: 'client_left',
}

/** Whatever was thrown, as an error of ours. What is not known is our bug: 500, its text only in the log. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const foreign =
    typeof error === 'object' && error !== null && 'code' in error ? FOREIGN[String(error.code)] : undefined
  if (foreign !== undefined) return new ApiError(foreign)
  return new ApiError('internal', {}, error instanceof Error ? `${error.name}: ${error.message}` : 'not an Error')
}
