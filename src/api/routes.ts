import type { TObject, TSchema } from 'typebox'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { handleChatCompletion } from './chat-completions/handle.ts'
import { chatChunkSchema, chatCompletionSchema, chatRequestSchema } from './chat-completions/schema.ts'
import type { Deps } from './deps.ts'
import type { ErrorCode } from './errors.ts'
import { handleHealth, handleReady, statusSchema } from './health/handle.ts'
import { handleKeyReport, keyReportSchema } from './key/handle.ts'
import { handleModel, handleModelList, modelListSchema, modelSchema } from './models/handle.ts'
import {
  handleFeed,
  handleManualMedia,
  handleManualName,
  handleManualPage,
  handleRobots,
  handleSitemap,
} from './manual/handle.ts'
import {
  handleAuthority,
  handleFirstPage,
  handleIcon,
  handleOpenApi,
  handleReference,
  handleStyle,
} from './pages/handle.ts'
import { SEARCH_ROUTES } from './search-routes.ts'

export type Route = {
  /** `:name` stands for one segment. */
  path: string
  method: 'GET' | 'POST'
  /** Everything that is not marked `public` needs a key; `open` needs none where the operator lets everyone search. */
  who: 'public' | 'key' | 'open'
  /** Without a key it counts against the strict limit of keyless searches. */
  searches?: true
  /** Requests a minute of one address (public) or one key: a guard against floods, beside the limits of packages. */
  perMinute: number
  handle: (call: Call, deps: Deps) => Promise<Answer> | Answer
  /** What the reference tells; routes without it are pages and not part of the API. */
  doc?: RouteDoc
}

export type RouteDoc = {
  id: string
  summary: string
  description?: string
  request?: { name: string; schema: TSchema }
  /** Parameters in the query string. */
  query?: TObject
  response: { name: string; schema: TSchema }
  /** What a stream is made of, where there is one. */
  events?: { name: string; schema: TSchema }
  errors: ErrorCode[]
}

const ALWAYS: ErrorCode[] = ['key_rejected', 'address_flood', 'internal']
const CHAT_ERRORS: ErrorCode[] = [
  'invalid_request',
  'request_failed',
  'key_rejected',
  'scope_missing',
  'address_refused',
  'request_timeout',
  'body_too_large',
  'media_type',
  'minute_spent',
  'day_spent',
  'too_many_at_once',
  'overloaded',
  'internal',
  'engine_failed',
  'closing',
  'timed_out',
]
const PUBLIC: ErrorCode[] = ['address_flood', 'internal']

/** ONE table of everything that is served. */
export const ROUTES: readonly Route[] = [
  {
    path: '/v1/chat/completions',
    method: 'POST',
    who: 'key',
    perMinute: Infinity,
    handle: handleChatCompletion,
    doc: {
      id: 'createChatCompletion',
      summary: 'Generate a reply',
      description:
        'Generates the next message of a conversation. With `stream` it arrives as Server-Sent Events: `data: <chunk>` and a blank line each, at the end `data: [DONE]`.',
      request: { name: 'ChatCompletionRequest', schema: chatRequestSchema },
      response: { name: 'ChatCompletion', schema: chatCompletionSchema },
      events: { name: 'ChatCompletionChunk', schema: chatChunkSchema },
      errors: CHAT_ERRORS,
    },
  },
  ...SEARCH_ROUTES,
  {
    path: '/v1/models',
    method: 'GET',
    who: 'key',
    perMinute: 600,
    handle: handleModelList,
    doc: {
      id: 'listModels',
      summary: 'List the models',
      response: { name: 'ModelList', schema: modelListSchema },
      errors: ALWAYS,
    },
  },
  {
    path: '/v1/models/:model',
    method: 'GET',
    who: 'key',
    perMinute: 600,
    handle: handleModel,
    doc: {
      id: 'getModel',
      summary: 'Tell about one model',
      response: { name: 'Model', schema: modelSchema },
      errors: ['not_found', ...ALWAYS],
    },
  },
  {
    path: '/v1/key',
    method: 'GET',
    who: 'key',
    perMinute: 600,
    handle: handleKeyReport,
    doc: {
      id: 'getKey',
      summary: 'Tell a key its own limits and use',
      description: 'Spends nothing.',
      response: { name: 'KeyReport', schema: keyReportSchema },
      errors: ALWAYS,
    },
  },
  {
    path: '/healthz',
    method: 'GET',
    who: 'public',
    perMinute: 6000,
    handle: handleHealth,
    doc: {
      id: 'getHealth',
      summary: 'Is the server alive?',
      response: { name: 'Status', schema: statusSchema },
      errors: PUBLIC,
    },
  },
  {
    path: '/readyz',
    method: 'GET',
    who: 'public',
    perMinute: 6000,
    handle: handleReady,
    doc: {
      id: 'getReadiness',
      summary: 'Can the server answer?',
      response: { name: 'Status', schema: statusSchema },
      errors: ['not_ready', ...PUBLIC],
    },
  },
  { path: '/openapi.json', method: 'GET', who: 'public', perMinute: 600, handle: handleOpenApi },
  { path: '/ca.pem', method: 'GET', who: 'public', perMinute: 600, handle: handleAuthority },
  { path: '/', method: 'GET', who: 'public', perMinute: 600, handle: handleFirstPage },
  { path: '/robots.txt', method: 'GET', who: 'public', perMinute: 600, handle: handleRobots },
  { path: '/sitemap.xml', method: 'GET', who: 'public', perMinute: 600, handle: handleSitemap },
  {
    path: '/docs',
    method: 'GET',
    who: 'public',
    perMinute: 600,
    handle: () => ({ kind: 'redirect', to: '/docs/' }),
  },
  { path: '/docs/', method: 'GET', who: 'public', perMinute: 600, handle: handleManualPage },
  { path: '/docs/feed.xml', method: 'GET', who: 'public', perMinute: 600, handle: handleFeed },
  { path: '/docs/media/:file', method: 'GET', who: 'public', perMinute: 6000, handle: handleManualMedia },
  { path: '/docs/:page', method: 'GET', who: 'public', perMinute: 600, handle: handleManualName },
  { path: '/docs/:page/', method: 'GET', who: 'public', perMinute: 600, handle: handleManualPage },
  {
    path: '/docs/api',
    method: 'GET',
    who: 'public',
    perMinute: 600,
    handle: () => ({ kind: 'redirect', to: '/docs/api/' }),
  },
  { path: '/docs/api/', method: 'GET', who: 'public', perMinute: 600, handle: handleReference },
  { path: '/docs/style.css', method: 'GET', who: 'public', perMinute: 600, handle: handleStyle },
  { path: '/docs/icon.svg', method: 'GET', who: 'public', perMinute: 600, handle: handleIcon },
]

/** Paths that clients try and that are not here, with what to do instead. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  '/v1/responses':
    'There is no /v1/responses here: use POST /v1/chat/completions (in the Vercel AI SDK: `openai.chat(…)` or @ai-sdk/openai-compatible).',
  '/v1/completions': 'There is no /v1/completions here: use POST /v1/chat/completions with `messages`.',
  '/v1/embeddings': 'There are no embeddings here: the models of this server generate text.',
  '/chat/completions': 'The path is /v1/chat/completions: add /v1 to the base URL.',
  '/models': 'The path is /v1/models: add /v1 to the base URL.',
}

/** Of the paths without a parameter, which nearly every call asks for: no call compares its path with the whole table. */
const METHODS: ReadonlyMap<string, readonly string[]> = new Map(
  ROUTES.filter(({ path }) => !path.includes(':')).map(({ path }) => [path, listMethods(path)]),
)

/** The methods that a path of the table answers; empty where the path is in none of its rows. */
export function methodsOf(path: string): readonly string[] {
  return METHODS.get(path) ?? listMethods(path)
}

function listMethods(path: string): string[] {
  const methods = ROUTES.filter((route) => matches(route.path, path)).map((route) => route.method)
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => part === given[i] || (part.startsWith(':') && given[i] !== ''))
  )
}
