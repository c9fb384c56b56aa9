import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Value } from 'typebox/value'
import { ApiError } from '../errors.ts'
import { parseChatRequest, type ChatRequest } from './parse-request.ts'
import { chatRequestSchema, ROLES } from './schema.ts'

const REJECT = { outOfRangeSampling: 'reject' } as const

function parse(body: unknown): ChatRequest | ApiError {
  try {
    return parseChatRequest(Buffer.from(JSON.stringify(body)), REJECT)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

/** Values that the fields may hold or that lie just beside them. */
const near = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, 8192, 8193, 0.1, 0.0999, 1.0001, -1, 1.5, '', 'a', 'text', [], {}, 2 ** 53),
  fc.array(fc.constantFrom('a', '', 3, null, { type: 'text', text: 'a' }, { type: 'image_url' }), { maxLength: 6 }),
  fc.record({ include_usage: fc.constantFrom(true, null, 'a') }),
  fc.jsonValue({ maxDepth: 2 }),
)
const text = fc.oneof(fc.constantFrom('', 'hello', 'two\nlines'), fc.string({ unit: 'grapheme', maxLength: 5 }))
const content = fc.oneof(text, fc.array(fc.record({ type: fc.constant('text'), text }), { minLength: 1, maxLength: 3 }))
const messages = fc.array(
  fc.record({ role: fc.constantFrom(...ROLES), content: fc.oneof({ weight: 9, arbitrary: content }, near) }),
  {
    minLength: 1,
    maxLength: 3,
  },
)
const names = Object.keys(chatRequestSchema.properties)
const request = fc
  .tuple(messages, fc.dictionary(fc.constantFrom(...names), near, { maxKeys: 3 }))
  .map(([list, fields]) => Object.assign({ model: 'Model', messages: list }, fields))

/** What the schema cannot say: two fields that must agree, text rules, and null content of others than the assistant. */
function isBeyondSchema(body: { messages: unknown; max_tokens?: unknown; max_completion_tokens?: unknown }): boolean {
  const { max_tokens: first, max_completion_tokens: second } = body
  if (first !== undefined && second !== undefined && first !== null && second !== null && first !== second) return true
  return (body.messages as { role: string; content?: unknown }[]).some(
    (message) => (message.content ?? null) === null && message.role !== 'assistant',
  )
}

describe('the parser and the schema say the same', () => {
  test('whatever the body: accepted by one is accepted by the other', () => {
    fc.assert(
      fc.property(request, (body) => {
        const parsed = parse(body)
        const failed = parsed instanceof ApiError && parsed.code === 'request_failed'
        if (failed) return
        const accepted = Value.Check(chatRequestSchema, body) && !isBeyondSchema(body)
        equal(
          !(parsed instanceof ApiError),
          accepted,
          `schema.ts and parse-request.ts differ on ${JSON.stringify(body)}`,
        )
      }),
      { numRuns: 2000 },
    )
  })
  test('garbage of any kind is an ApiError 400, never another throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.json().map(Buffer.from)), (bytes) => {
        try {
          parseChatRequest(Buffer.from(bytes), REJECT)
          return false
        } catch (error) {
          return error instanceof ApiError && error.status === 400
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('clamping', () => {
  test('never leaves the range, never touches what lies inside, and tells each change', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 2, noNaN: true }),
        fc.constantFrom('temperature', 'top_p'),
        (value, name) => {
          const body = Buffer.from(
            JSON.stringify({ model: 'M', messages: [{ role: 'user', content: '' }], [name]: value }),
          )
          const parsed = parseChatRequest(body, { outOfRangeSampling: 'clamp' })
          const taken = name === 'temperature' ? parsed.temperature : parsed.topP
          ok(taken >= 0.1 && taken <= 1)
          const inside = value >= 0.1 && value <= 1
          if (inside) equal(taken, value)
          deepEqual(parsed.adjusted, inside ? [] : [`${name}=${taken}`])
        },
      ),
    )
  })
})
