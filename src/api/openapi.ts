import type { TSchema } from 'typebox'
import { ERRORS, type ErrorCode } from './errors.ts'
import type { Route, RouteDoc } from './routes.ts'

type About = { version: string; baseUrl: string }
type Json = { [key: string]: unknown }

/** OpenAPI 3.1 from the route table and the schemas that the parsers read (https://spec.openapis.org/oas/v3.1.1). */
export function renderOpenApi(routes: readonly Route[], about: About) {
  const documented = routes.flatMap((route) => (route.doc === undefined ? [] : [{ route, doc: route.doc }]))
  const schemas: Record<string, TSchema | Json> = { Error: errorSchema }
  const paths: Record<string, Record<string, Json>> = {}
  for (const { route, doc } of documented) {
    if (doc.request !== undefined) schemas[doc.request.name] = doc.request.schema
    schemas[doc.response.name] = doc.response.schema
    if (doc.events !== undefined) schemas[doc.events.name] = doc.events.schema
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, doc) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Unmask',
      version: about.version,
      description: 'Chat completions from mask-diffusion language models, and web search over an index of its own.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: about.baseUrl }],
    paths,
    components: {
      schemas,
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key: `um_live_…`' } },
    },
  }
}

export type OpenApi = ReturnType<typeof renderOpenApi>

function operation(route: Route, doc: RouteDoc): Json {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const parameters = [...inPath, ...queryParameters(doc)]
  const content: Json = { 'application/json': { schema: reference(doc.response.name) } }
  if (doc.events !== undefined) content['text/event-stream'] = { schema: reference(doc.events.name) }
  return {
    operationId: doc.id,
    summary: doc.summary,
    ...(doc.description === undefined ? {} : { description: doc.description }),
    security: SECURITY[route.who],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(doc.request === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: reference(doc.request.name) } } } }),
    responses: { 200: { description: doc.summary, headers: commonHeaders, content }, ...errorResponses(doc.errors) },
  }
}

/** `open`: with a key or, where the operator lets everyone search, without. */
const SECURITY: Record<Route['who'], Json[]> = { public: [], key: [{ key: [] }], open: [{ key: [] }, {}] }

function queryParameters({ query }: RouteDoc): Json[] {
  return Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: query?.required?.includes(name) ?? false,
    schema,
  }))
}

/** One entry a status; the conditions that share it stand in its description. */
function errorResponses(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code][0])
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [
      status,
      {
        description: same.map((code) => ERRORS[code][2]({})).join(' / '),
        content: { 'application/json': { schema: reference('Error') } },
      },
    ]),
  )
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}

const commonHeaders: Json = {
  'x-request-id': { description: 'Names this request in the server’s log.', schema: { type: 'string' } },
}

const errorSchema: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'type', 'param'],
      properties: {
        code: { type: 'integer', description: 'The HTTP status.' },
        message: { type: 'string', description: 'Names the field, the value and what is allowed.' },
        type: { type: 'string', enum: [...new Set(Object.values(ERRORS).map(([, type]) => type))] },
        param: { type: ['string', 'null'], description: 'The field at fault.' },
        detail: { type: 'string', description: 'The particulars behind the message `Request failed.`' },
      },
    },
  },
}
