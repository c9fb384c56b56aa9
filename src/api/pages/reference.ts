import { ERRORS } from '../errors.ts'
import { NEUTRAL_FIELDS } from '../chat-completions/neutral-fields.ts'
import type { OpenApi } from '../openapi.ts'
import { chatExamples, searchExample, trustExample } from './examples.ts'
import { renderFields, type Schema } from './fields.ts'
import { codeBlock, escape, prose, renderPage, SITE_NAME, table, type Place } from './page.ts'

type Operation = {
  operationId: string
  summary: string
  description?: string
  security: object[]
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}
type Parameter = { name: string; in: string; required: boolean; schema: Schema }
type Content = Record<string, { schema: { $ref: string } }>

/** The reference, as one static page from the OpenAPI document: it cannot say what the server does not do. */
export function renderReference(document: OpenApi, place: Place): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
  )
  const contents = operations.map(
    ({ operation }) => `<li><a href="#${operation.operationId}">${prose(operation.summary)}</a></li>`,
  )
  return renderPage(
    'Unmask API reference',
    `<div class="columns wide">
<nav class="contents" aria-label="Contents"><h2>Begin</h2><ul>
<li><a href="#start">Quick start</a></li>${place.ownAuthority ? '<li><a href="#trust">Trust</a></li>' : ''}
</ul><h2>Calls</h2><ul>${contents.join('')}</ul><h2>Rules</h2><ul>
<li><a href="#streaming">Streaming</a></li><li><a href="#compatibility">Compatibility</a></li>
<li><a href="#errors">Errors</a></li><li><a href="#limits">Limits</a></li></ul></nav>
<main id="main">
<h1>API reference</h1>
<p class="lead">${escape(document.info.description)} Any OpenAI client works with the base URL <code>${escape(place.baseUrl)}/v1</code> and a key.</p>
${quickStart(place)}
${operations.map(({ path, method, operation }) => renderOperation(path, method, operation, document)).join('\n')}
${STREAMING}
${compatibility()}
${errors()}
${LIMITS}
</main></div>`,
    { head: SITE_NAME, nav: 'reference' },
  )
}

function quickStart(place: Place): string {
  const trust = place.ownAuthority
    ? `<h2 id="trust">Trust</h2>
<p>This server has a certificate authority of its own. Fetch its certificate once, compare its fingerprint with that of <code>tls/ca.pem</code> in the server’s data folder, and name the file to your client:</p>
${codeBlock('Shell', trustExample(place))}`
    : ''
  return `<h2 id="start">Quick start</h2>
<p>Every call carries the header <code>Authorization: Bearer</code> with an API key. The first key is in the file <code>first-key</code> of the server’s data folder, or was printed at its first start; more are made with <code>./unmask keys create --name NAME</code> there.${place.ownAuthority ? ' <code>unmask-ca.pem</code> is fetched as told under <a href="#trust">Trust</a>.' : ''}</p>
${[...chatExamples(place), searchExample(place)].map(({ caption, code }) => codeBlock(caption, code)).join('\n')}
${trust}`
}

function renderOperation(path: string, method: string, operation: Operation, document: OpenApi): string {
  const ok = operation.responses['200']
  const failures = Object.entries(operation.responses).filter(([status]) => status !== '200')
  const body = (title: string, content: Content | undefined, type: string, input: boolean): string => {
    const schema = resolve(content?.[type]?.schema.$ref, document)
    return schema === undefined ? '' : `<h3>${title}</h3>${renderFields(schema, input)}`
  }
  return `<section><h2 id="${operation.operationId}">${prose(operation.summary)}</h2>
<p class="route"><span class="tag">${method.toUpperCase()}</span> <code>${escape(path)}</code> <span class="kind">${keyRule(operation.security)}</span></p>
${operation.description === undefined ? '' : `<p>${prose(operation.description)}</p>`}
${renderQuery(operation.parameters)}${body('Request', operation.requestBody?.content, 'application/json', true)}
${body('Answer', ok?.content, 'application/json', false)}
${body('Chunk of a stream', ok?.content, 'text/event-stream', false)}
<p class="kind">Errors: ${failures.map(([status]) => `<a href="#error-${status}">${status}</a>`).join(', ')}</p></section>`
}

/** In OpenAPI an empty requirement beside another means: also without. */
function keyRule(security: readonly object[]): string {
  if (security.length === 0) return 'no key needed'
  return security.some((one) => Object.keys(one).length === 0)
    ? 'no key needed where the operator says so'
    : 'needs a key'
}

function renderQuery(parameters: readonly Parameter[] = []): string {
  const inQuery = parameters.filter((one) => one.in === 'query')
  if (inQuery.length === 0) return ''
  const properties = Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema]))
  const required = inQuery.flatMap(({ name, required }) => (required ? [name] : []))
  return `<h3>Parameters</h3>${renderFields({ properties, required }, true)}`
}

function resolve(reference: string | undefined, document: OpenApi): Schema | undefined {
  const name = reference?.split('/').at(-1) ?? ''
  return document.components.schemas[name] as Schema | undefined
}

function compatibility(): string {
  const rows = Object.entries(NEUTRAL_FIELDS).map(([name, { allowed }]) => [
    `<code>${name}</code>`,
    `<code>${escape(allowed)}</code>`,
  ])
  return `<h2 id="compatibility">Compatibility</h2>
<p>Unknown fields are ignored, and <code>null</code> is as if a field were absent. These fields of other servers would change the reply and cannot be honoured: their neutral value is accepted, any other is answered with 400.</p>
${table('Fields with a neutral value', ['Field', 'Accepted'], rows)}`
}

function errors(): string {
  const seen = new Set<number>()
  const rows = Object.values(ERRORS).flatMap(([status, type, text]) => {
    // 499 stands in the log only: nobody is there to read it.
    if (status === 499) return []
    const anchor = seen.has(status) ? '' : ` id="error-${status}"`
    seen.add(status)
    return [[`<span${anchor}>${status}</span>`, `<code>${type}</code>`, prose(text({}))]]
  })
  return `<h2 id="errors">Errors</h2>
<p>Every failure has the same form; <code>param</code> is the field at fault or null. Quote the header <code>x-request-id</code> when you ask the operator.</p>
${codeBlock('Error object', ERROR_EXAMPLE)}
<p>The search paths add <code>_type</code> (<code>ErrorResponse</code>), <code>code</code> as text, <code>message</code> and <code>log_id</code> beside <code>error</code>, for clients that read those.</p>
${table('Errors', ['Status', 'Type', 'Message'], rows)}
<p>The message <code>Request failed.</code> with status 400 means that the prompt does not fit the model’s window or holds characters that cannot be text; with 413, that the body is too large. The particulars are in <code>error.detail</code>.</p>`
}

const ERROR_EXAMPLE = `{
  "error": {
    "code": 400,
    "message": "temperature is 3; allowed: a number from 0.1 to 1.",
    "type": "invalid_request_error",
    "param": "temperature"
  }
}`

const STREAMING = `<h2 id="streaming">Streaming</h2>
<p>With <code>"stream": true</code> the reply comes as Server-Sent Events. The status is held back until the model has begun, so errors before that are ordinary answers. The first chunk carries the role, then each <code>delta.content</code> is appended and never changes, the last has the <code>finish_reason</code>, and <code>data: [DONE]</code> ends the stream. A comment line keeps a quiet stream open. A failure in the middle is one event <code>data: {"error": …}</code>, after which the stream ends without <code>[DONE]</code>. A client that leaves frees its place at once.</p>`

const LIMITS = `<h2 id="limits">Limits</h2>
<p>Limits belong to the account: requests a minute, calls a day, and calls at once. Refused calls do not count against the day, nor do our own failures before the first byte. Every answer to a key carries:</p>
${table(
  'Headers of limits',
  ['Header', 'Meaning'],
  [
    ['<code>x-ratelimit-limit-requests</code>', 'Requests allowed in a minute; absent where there is no such limit.'],
    ['<code>x-ratelimit-remaining-requests</code>', 'What is left of them.'],
    ['<code>x-ratelimit-reset-requests</code>', 'Whole seconds until all are back.'],
    ['<code>…-requests-day</code>', 'The same three for the day.'],
    ['<code>retry-after</code>, <code>retry-after-ms</code>', 'With 429: how long to wait.'],
    ['<code>x-should-retry: false</code>', 'With 429 when the day is used up: do not retry.'],
    ['<code>x-adjusted-params</code>', 'Values that were moved into their range, where the operator allows it.'],
    ['<code>x-request-id</code>', 'Names the request in the server’s log; on every answer.'],
  ],
)}`
