import { equal, match, notEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { hintOf, isToken, makeToken, RANDOM_CHARACTERS } from './token.ts'

const BASE62 = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']
const random = fc
  .array(fc.constantFrom(...BASE62), { minLength: RANDOM_CHARACTERS, maxLength: RANDOM_CHARACTERS })
  .map((characters) => characters.join(''))

describe('a token is um_live_, 30 random characters and 6 of checksum', () => {
  test('every token made has the shape and is recognised', () => {
    fc.assert(
      fc.property(random, (text) => {
        const token = makeToken(text)
        match(token, /^um_live_[0-9A-Za-z]{36}$/)
        equal(token.slice(8, 38), text)
        equal(isToken(token), true)
      }),
    )
  })
  test('the checksum is the CRC-32 in base62', () => {
    // crc32('um_live_' + 30 zeros) = 0x44d76a69, computed with Python: zlib.crc32
    equal(makeToken('0'.repeat(30)), `um_live_${'0'.repeat(30)}1GA7yr`)
  })
  test('one character changed, anywhere, is no token any more', () => {
    fc.assert(
      fc.property(random, fc.nat({ max: 43 }), fc.constantFrom(...BASE62), (text, place, other) => {
        const token = makeToken(text)
        fc.pre(token[place] !== other)
        equal(isToken(token.slice(0, place) + other + token.slice(place + 1)), false)
      }),
    )
  })
  test('nothing else is a token', () => {
    const token = makeToken('a'.repeat(30))
    for (const text of ['', 'um_live_', ` ${token}`, `${token}\n`, token.slice(1), `${token}x`, token.toUpperCase()]) {
      equal(isToken(text), false, JSON.stringify(text))
    }
    fc.assert(fc.property(fc.string(), (text) => equal(isToken(text), false)))
  })
  test('the hint shows four random characters and the last four of the checksum, no more', () => {
    fc.assert(
      fc.property(random, (text) => {
        const hint = hintOf(makeToken(text))
        equal(hint.length, 17)
        equal(hint.slice(0, 12), `um_live_${text.slice(0, 4)}`)
        notEqual(hint, makeToken(text))
      }),
    )
  })
})
