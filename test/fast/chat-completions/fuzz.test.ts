import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { startServer } from '../../support/api-server.ts'
import type { Reply } from '../../support/https-client.ts'
import { nearlyValidOf, validOf, type JsonSchema } from '../../support/schema-arbitrary.ts'

const server = await startServer()
type OpenApi = { components: { schemas: Record<string, JsonSchema> } }
const document = (await server.send('/openapi.json', { key: null })).json<OpenApi>()
const schema = document.components.schemas['ChatCompletionRequest']
ok(schema)

/** The one promise for whatever comes: a reply or the error object, and nothing of ours broken. */
function requireHonest(reply: Reply): void {
  if (reply.status === 200) return
  ok(reply.status >= 400 && reply.status < 500, `status ${reply.status}: ${reply.text}`)
  const error = reply.error()
  equal(error.code, reply.status)
  ok(error.message.length > 0 && (error.param === null || typeof error.param === 'string'))
}

async function post(body: string | Buffer, headers: Record<string, string> = {}): Promise<Reply> {
  const reply = await server.chat({}, { body, headers })
  requireHonest(reply)
  return reply
}

describe('whatever the body: never a 500, always the error object', () => {
  test('bodies that the OpenAPI document allows', async () => {
    let served = 0
    const run = fc.asyncProperty(validOf(schema), fc.constantFrom('Model', 'Model-MoE'), async (body, model) => {
      const reply = await post(JSON.stringify({ ...(body as object), model }))
      if (reply.status === 200) served++
    })
    await fc.assert(run, { numRuns: 150 })
    ok(served > 20, `only ${served} of 150 were served: the document allows much that the server refuses`)
  })
  test('bodies with a few wrong places', async () => {
    const run = fc.asyncProperty(nearlyValidOf(schema), async (body) => void (await post(JSON.stringify(body) ?? '')))
    await fc.assert(run, { numRuns: 300 })
  })
  test('any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (body) => void (await post(body))),
      { numRuns: 100 },
    )
  })
  test('any bytes', async () => {
    const run = fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      async (bytes) => void (await post(Buffer.from(bytes))),
    )
    await fc.assert(run, { numRuns: 100 })
  })
  test('any content type and key', async () => {
    const token = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789/;= -_.'), maxLength: 30 })
    const run = fc.asyncProperty(token, token, async (type, key) => {
      requireHonest(
        await server.chat({}, { headers: { 'content-type': type.trim(), authorization: `Bearer ${key}`.trim() } }),
      )
    })
    await fc.assert(run, { numRuns: 100 })
  })
  test('any path and method', async () => {
    const segment = fc.oneof(
      fc.constantFrom('v1', 'chat', 'models', 'key', 'docs', '..', '.', '%2e', '%'),
      fc.webPath({ size: 'small' }),
    )
    const path = fc
      .array(segment, { maxLength: 4 })
      .map((parts) => `/${parts.join('/')}`.replaceAll(/[^\x21-\x7e]/g, ''))
    const run = fc.asyncProperty(
      path,
      fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'),
      async (url, method) => {
        const reply = await server.send(`https://127.0.0.1:${server.listening.port}${url}`, { method })
        if (reply.status < 400) return
        requireHonest(reply)
      },
    )
    await fc.assert(run, { numRuns: 200 })
  })
})
