import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { startServer } from '../../support/api-server.ts'
import type { Reply } from '../../support/https-client.ts'
import { nearlyValidOf, validOf, type JsonSchema } from '../../support/schema-arbitrary.ts'
import { searchWeb } from '../../support/web-search.ts'

const server = await startServer({ keylessPerMinute: 100_000 })
type OpenApi = { components: { schemas: Record<string, JsonSchema> } }
const document = (await server.send('/openapi.json', { key: null })).json<OpenApi>()
const schema = document.components.schemas['SearchRequest']
ok(schema)

type Body = { _type: string; code: string; message: string; log_id: string }

function requireHonest(reply: Reply): void {
  if (reply.status === 200) return equal(reply.json<Body>()._type, 'SearchResponse')
  ok(reply.status >= 400 && reply.status < 500, `status ${reply.status}: ${reply.text}`)
  const { _type, code, message, log_id } = reply.json<Body>()
  ok(_type === 'ErrorResponse' && code === String(reply.status) && message !== '' && log_id !== '')
}

describe('whatever is asked: an answer or the error object, never a 500', () => {
  test('bodies that the OpenAPI document allows', async () => {
    const run = fc.asyncProperty(validOf(schema), async (body) =>
      requireHonest(await searchWeb(server, {}, { body: JSON.stringify(body) })),
    )
    await fc.assert(run, { numRuns: 150 })
  })
  test('bodies with a few wrong places, and any JSON', async () => {
    const run = fc.asyncProperty(fc.oneof(nearlyValidOf(schema), fc.jsonValue()), async (body) =>
      requireHonest(await searchWeb(server, {}, { body: JSON.stringify(body) ?? '' })),
    )
    await fc.assert(run, { numRuns: 200 })
  })
  test('any query string, on the JSON paths and the page for people', async () => {
    const names = [
      'query',
      'q',
      'count',
      'offset',
      'page',
      'freshness',
      'include',
      'site',
      'type',
      'summary',
      'responseFilter',
    ]
    const pair = fc.tuple(
      fc.constantFrom(...names),
      fc.oneof(fc.webQueryParameters(), fc.constantFrom('%ff', '%', '+', '0', '-1', '😀')),
    )
    const run = fc.asyncProperty(fc.array(pair, { maxLength: 6 }), async (pairs) => {
      const query = pairs.map(([name, value]) => `${name}=${encodeURI(value)}`).join('&')
      requireHonest(await server.send(`/api/web-search?${query}`, { key: null }))
      const page = await server.send(`/search?${query}`, { key: null })
      ok(page.status === 200 || page.status === 400, page.text)
      if (String(page.headers['content-type']).startsWith('text/html')) ok(!/<script>|onerror=/.test(page.text))
    })
    await fc.assert(run, { numRuns: 200 })
  })
  test('nothing of it was a fault of ours', () => {
    ok(server.lines.every((line) => line.event !== 'internal_error'))
  })
})
