import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { StreamText } from './stream-text.ts'

/** Token n says the byte n: the worst cutting there is. */
const byByte = (id: number) => Uint8Array.of(id)
const bytesOf = (text: string) => [...new TextEncoder().encode(text)]

function streamAll(ids: readonly number[], cuts: readonly number[], stop: readonly string[], say = byByte) {
  const stream = new StreamText(say, stop)
  const parts: string[] = []
  let from = 0
  for (const cut of [...cuts.map((cut) => cut % (ids.length + 1)).sort((a, b) => a - b), ids.length]) {
    parts.push(stream.push(ids.slice(from, cut)))
    from = cut
  }
  parts.push(stream.finish())
  return { text: parts.join(''), parts, tokens: stream.tokens, stopped: stream.stopped }
}

/** The shortest beginning that ends with a stop string, without it; of two that end together the longer is taken off. */
function cutPlainly(text: string, stop: readonly string[]): string {
  for (let end = 1; end <= text.length; end++) {
    const ending = stop.filter((word) => text.slice(0, end).endsWith(word)).sort((a, b) => b.length - a.length)[0]
    if (ending !== undefined) return text.slice(0, end - ending.length)
  }
  return text
}

const cuts = fc.array(fc.nat(200), { maxLength: 6 })
const dense = fc
  .array(fc.constantFrom('a', 'b', 'ab', 'é', '😀', '中'), { maxLength: 30 })
  .map((parts) => parts.join(''))
const stops = fc.array(
  fc.array(fc.constantFrom('a', 'b', 'é', '😀'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
  { maxLength: 4 },
)

describe('however tokens are cut into pushes', () => {
  test('bytes give the text that a decoder gives of the whole, U+FFFD only where it is certain', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(255), { maxLength: 60 }), cuts, (bytes, cuts) => {
        const { text, tokens } = streamAll(bytes, cuts, [])
        equal(text, new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes)))
        equal(tokens, bytes.length)
      }),
    )
  })

  test('text ends where plain search says, and never shows a part of a stop string', () => {
    fc.assert(
      fc.property(dense, stops, cuts, (text, stop, cuts) => {
        const streamed = streamAll(bytesOf(text), cuts, stop)
        equal(streamed.text, cutPlainly(text, stop))
        equal(
          streamed.stopped,
          stop.some((word) => text.includes(word)),
        )
      }),
      { numRuns: 1000 },
    )
  })

  test('tokens are those that the returned text has', () => {
    fc.assert(
      fc.property(dense, stops, cuts, (text, stop, cuts) => {
        const { text: told, tokens } = streamAll(bytesOf(text), cuts, stop)
        equal(tokens, bytesOf(told).length)
      }),
      { numRuns: 500 },
    )
  })
})

test('a character is told with its last byte, not before', () => {
  const stream = new StreamText(byByte, [])
  const [first = 0, second = 0, third = 0] = bytesOf('中')
  deepEqual([stream.push([first]), stream.push([second]), stream.push([third])], ['', '', '中'])
})

test('an unfinished character is U+FFFD at the end only', () => {
  const stream = new StreamText(byByte, [])
  equal(stream.push([0xe4, 0xb8]), '')
  equal(stream.finish(), '\ufffd')
})

test('the beginning of a stop string waits, and is text if it goes on otherwise', () => {
  const stream = new StreamText(byByte, ['END'])
  equal(stream.push(bytesOf('the E')), 'the ')
  equal(stream.push(bytesOf('N')), '')
  equal(stream.push(bytesOf('O')), 'ENO')
  equal(stream.push(bytesOf('EN')), '')
  equal(stream.finish(), 'EN')
})

test('a token that the cut goes through counts, tokens behind it do not', () => {
  const words = ['Hello', ' wor', 'ld STOP', ' more']
  const stream = new StreamText((id) => new TextEncoder().encode(words[id] ?? ''), ['STOP'])
  equal(stream.push([0, 1, 2, 3]), 'Hello world ')
  ok(stream.stopped)
  equal(stream.finish(), '')
  equal(stream.tokens, 3)
})

test('a stop string that is megabytes long costs no more than its length', () => {
  const stream = new StreamText(
    (id) => new TextEncoder().encode(id === 0 ? 'a'.repeat(1000) : 'b'),
    ['a'.repeat(500_000) + 'c'],
  )
  const startedAt = performance.now()
  for (let i = 0; i < 100; i++) equal(stream.push([0]), '')
  equal(stream.push([1]).length, 100_001)
  ok(performance.now() - startedAt < 2000)
})
