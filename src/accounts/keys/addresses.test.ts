import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { addressAllowed } from './address-allowed.ts'
import { parseAddresses } from './parse-addresses.ts'

describe('an address list is kept in one canonical form', () => {
  const cases: Record<string, string | undefined> = {
    '192.0.2.7': '192.0.2.7/32',
    ' 192.0.2.7/24 ': '192.0.2.0/24',
    '0.0.0.0/0': '0.0.0.0/0',
    '2001:DB8::1': '2001:db8::1/128',
    '2001:db8:1:2:3::/48': '2001:db8:1::/48',
    '::ffff:10.1.2.3': '10.1.2.3/32',
    '::ffff:10.0.0.0/104': '10.0.0.0/8',
    '::/0': '::/0',
    '10.1': undefined,
    '0x7f.1': undefined,
    '10.0.0.1/33': undefined,
    '10.0.0.1/': undefined,
    '10.0.0.1/-1': undefined,
    '10.0.0.0/8/8': undefined,
    '::1/129': undefined,
    'fe80::1%eth0': undefined,
    'example.com': undefined,
    '': undefined,
  }
  for (const [entry, wanted] of Object.entries(cases)) {
    test(`${JSON.stringify(entry)} → ${wanted ?? 'refused'}`, () => {
      const list = parseAddresses([entry])
      if (wanted === undefined) deepEqual(list, { kind: 'invalid', address: entry })
      else deepEqual(list, { kind: 'parsed', ranges: [wanted] })
    })
  }
  test('the same range twice is one', () => {
    deepEqual(parseAddresses(['10.0.0.1/8', '10.9.9.9/8']), { kind: 'parsed', ranges: ['10.0.0.0/8'] })
  })
})

describe('a call comes from inside the list, or it is refused', () => {
  const cases: [string[], string, boolean][] = [
    [[], '203.0.113.9', true],
    [['192.0.2.0/24'], '192.0.2.255', true],
    [['192.0.2.0/24'], '192.0.3.0', false],
    [['192.0.2.0/24'], '::ffff:192.0.2.1', true],
    [['192.0.2.0/24'], '2001:db8::1', false],
    [['2001:db8::/32'], '2001:db8:ffff::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['2001:db8::/32', '10.0.0.1/32'], '10.0.0.1', true],
    [['::/0'], '10.0.0.1', false],
    [['0.0.0.0/0'], 'no address', false],
  ]
  for (const [ranges, address, wanted] of cases) {
    test(`${address} in [${ranges.join(' ')}]: ${wanted}`, () => equal(addressAllowed(ranges, address), wanted))
  }
  test('an address alone lets in itself and no other', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.ipV4(), (own, other) => {
        const list = parseAddresses([own])
        fc.pre(list.kind === 'parsed' && other !== own)
        const ranges = list.kind === 'parsed' ? list.ranges : []
        equal(addressAllowed(ranges, own), true)
        if (!own.includes(':')) equal(addressAllowed(ranges, other), false)
      }),
    )
  })
})
