import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SEARCH_KEY, startServer } from '../../support/api-server.ts'
import { searchWeb } from '../../support/web-search.ts'

const server = await startServer()

/** field → what is refused of it, and words that the message must hold. */
const REFUSED: Record<string, [unknown, RegExp][]> = {
  query: [
    ['', /query is ""; allowed: a text of 1 to 2000 characters/],
    ['  \n ', /not blank/],
    ['x'.repeat(2001), /1 to 2000/],
    [7, /query is 7/],
    [['a'], /query is an array/],
    ['a\u0000b', /control characters/],
  ],
  count: [
    [0, /count is 0; allowed: an integer from 1 to 50/],
    [51, /count is 51/],
    [1.5, /an integer/],
    ['10', /count is "10"/],
  ],
  offset: [
    [-1, /offset is -1; allowed: an integer from 0/],
    [0.5, /an integer/],
    [true, /offset is true/],
  ],
  page: [
    [0, /page is 0; allowed: an integer from 1/],
    [-2, /page is -2/],
  ],
  freshness: [
    ['twoDays', /freshness is "twoDays"; allowed: noLimit, oneDay, oneWeek, oneMonth, oneYear, YYYY-MM-DD/],
    ['2025-02-30', /freshness/],
    ['2025-13-01', /freshness/],
    ['2025-1-1', /freshness/],
    ['2025-03-02..2025-03-01', /first day is not after its last/],
    ['2025-03-01..', /freshness/],
    ['2025-03-01..2025-03-02..2025-03-03', /freshness/],
    [7, /freshness is 7/],
  ],
  include: [
    ['not a host', /include is "not a host"; allowed: at most 100 domains/],
    [['ok.example', 5], /include is 5/],
    [Array.from({ length: 101 }, (_, i) => `h${i}.example`), /include is an array of 101/],
    ['https://', /include/],
  ],
  exclude: [['-', /exclude is "-"/]],
  responseFilter: [
    ['news', /responseFilter is "news"; allowed: some of webPages, images, videos/],
    ['', /responseFilter/],
  ],
  summary: [['yes', /summary is "yes"; allowed: true or false/]],
}

describe('400 names the field, its value and what is allowed, in both error forms', () => {
  for (const [param, cases] of Object.entries(REFUSED)) {
    for (const [value, words] of cases) {
      test(`${param}: ${JSON.stringify(value).slice(0, 40)}`, async () => {
        const reply = await searchWeb(server, { [param]: value })
        equal(reply.status, 400)
        const { error, ...top } = reply.json<{
          error: { code: number; type: string; param: string; message: string }
        }>()
        deepEqual([error.code, error.type, error.param], [400, 'invalid_request_error', param])
        match(error.message, words)
        deepEqual(top, {
          _type: 'ErrorResponse',
          code: '400',
          message: error.message,
          log_id: reply.headers['x-request-id'],
        })
      })
    }
  }
  test('offset and page at once', async () => {
    const reply = await searchWeb(server, { offset: 10, page: 2 })
    deepEqual([reply.status, reply.error().param], [400, 'page'])
  })
  test('a missing query', async () => {
    const reply = await server.send('/api/web-search', { key: SEARCH_KEY, body: '{}' })
    match(reply.error().message, /query is missing/)
  })
  for (const body of ['', '[]', '{"query":', 'null']) {
    test(`a body that is no JSON object: ${JSON.stringify(body)}`, async () => {
      equal((await server.send('/api/web-search', { key: SEARCH_KEY, body })).status, 400)
    })
  }
  test('GET: the same rules', async () => {
    const bad = [
      '',
      '?query=',
      '?query=%20',
      '?query=a&count=0',
      '?query=a&count=x',
      '?query=a&offset=-1',
      '?query=%ff',
    ]
    for (const query of [...bad, '?query=a&query=b', '?query=a&freshness=soon']) {
      const reply = await server.send(`/api/web-search${query}`, { key: null })
      equal(reply.status, 400, query)
      equal(reply.json<{ _type: string }>()._type, 'ErrorResponse')
    }
  })
  test('the compatibility route refuses in the same form', async () => {
    const reply = await server.send('/v1/web-search', { key: SEARCH_KEY, body: '{"query":""}' })
    deepEqual([reply.status, reply.json<{ code: string }>().code], [400, '400'])
  })
  test('nothing of it was asked of the index, or paid', () => {
    deepEqual([server.search.asked.length, server.accounts.uses.length], [0, 0])
    ok(server.lines.every((line) => line.event !== 'internal_error'))
  })
})
