import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, test } from 'node:test'
import { ERRORS } from '../../../src/api/errors.ts'
import { ROUTES } from '../../../src/api/routes.ts'
import { KEY, startServer } from '../../support/api-server.ts'

const server = await startServer({ names: ['box.example.org'] })

type OpenApi = {
  openapi: string
  paths: Record<string, Record<string, { security: object[]; responses: Record<string, object> }>>
  components: { schemas: Record<string, { properties: Record<string, object> }> }
}

describe('/openapi.json', async () => {
  const document = (await server.send('/openapi.json', { key: null })).json<OpenApi>()
  test('is OpenAPI 3.1 and describes every route of the API', () => {
    equal(document.openapi, '3.1.0')
    const wanted = ROUTES.filter((route) => route.doc !== undefined).map((route) => [
      route.path.replaceAll(/:(\w+)/g, '{$1}'),
      route.method.toLowerCase(),
      route.who !== 'public',
    ])
    const told = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security }]) => [path, method, security.length > 0]),
    )
    deepEqual(told, wanted)
  })
  test('tells ranges and defaults as the contract has them', () => {
    const { max_tokens, temperature, top_p } = document.components.schemas['ChatCompletionRequest']?.properties ?? {}
    const text = JSON.stringify([max_tokens, temperature, top_p])
    for (const part of [
      '"minimum":1,"maximum":8192,"default":512',
      '"minimum":0.1,"maximum":1,"default":0.7',
      '"default":0.8',
    ]) {
      ok(text.includes(part), part)
    }
  })
  test('every reference leads somewhere', () => {
    const names = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name ?? '')
    ok(names.length > 10)
    for (const name of names) ok(document.components.schemas[name], name)
  })
  test('has every status of the contract for chat completions', () => {
    const told = Object.keys(document.paths['/v1/chat/completions']?.['post']?.responses ?? {})
    for (const status of ['200', '400', '401', '403', '413', '415', '429', '500', '504'])
      ok(told.includes(status), status)
  })
})

describe('pages', () => {
  for (const path of ['/', '/docs/api/']) {
    test(`${path} is whole, loads nothing from elsewhere and tells no secret`, async () => {
      const reply = await server.send(path, { key: null })
      equal(reply.headers['content-type'], 'text/html; charset=utf-8')
      match(String(reply.headers['content-security-policy']), /^default-src 'none'; style-src 'self'; img-src 'self'/)
      ok(!reply.text.includes('<script') && !reply.text.includes(' style='))
      for (const [, link = ''] of reply.text.matchAll(/(?:href|src)="([^"]+)"/g)) {
        ok(link.startsWith('/') || link.startsWith('#'), link)
        if (link.startsWith('#')) ok(reply.text.includes(`id="${link.slice(1)}"`), `${link} leads nowhere`)
        else ok((await server.send(link, { key: null })).status < 400, link)
      }
      ok(!reply.text.includes(KEY))
      ok(reply.text.includes('https://box.example.org:'), 'examples name the first configured name')
    })
  }
  test('the reference shows every field with range and default, and every error', async () => {
    const { text } = await server.send('/docs/api/', { key: null })
    for (const part of [
      '1 to 8192 · default 512',
      '0.1 to 1 · default 0.7',
      '0.1 to 1 · default 0.8',
      'x-ratelimit-reset-requests',
    ]) {
      ok(text.includes(part), part)
    }
    for (const [status, type] of Object.values(ERRORS))
      if (status !== 499) ok(text.includes(type) && text.includes(String(status)))
    for (const client of ['curl --cacert', 'from openai import OpenAI', "import OpenAI from 'openai'"]) {
      ok(text.includes(client) || text.includes(client.replaceAll("'", '&#39;')), client)
    }
  })
  test('/docs leads to the manual, /docs/api to the reference', async () => {
    for (const path of ['/docs', '/docs/api']) {
      const reply = await server.send(path, { key: null })
      deepEqual([reply.status, reply.headers.location], [308, `${path}/`])
    }
  })
  test('/ca.pem is the authority, and nothing of a key', async () => {
    const reply = await server.send('/ca.pem', { key: null })
    equal(reply.text, server.tls.authority?.pem)
    equal(new X509Certificate(reply.text).ca, true)
    ok(!reply.text.includes('PRIVATE'))
  })
})
