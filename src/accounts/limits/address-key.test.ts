import { equal, notEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { addressKey } from './address-key.ts'

test('an IPv6 /64 counts as one caller', () => {
  equal(addressKey('2001:db8:1:2::1'), addressKey('2001:db8:1:2:ffff:ffff:ffff:ffff'))
  notEqual(addressKey('2001:db8:1:2::1'), addressKey('2001:db8:1:3::1'))
})

test('an IPv4 address counts alone, mapped or not', () => {
  equal(addressKey('::ffff:192.0.2.1'), addressKey('192.0.2.1'))
  notEqual(addressKey('192.0.2.1'), addressKey('192.0.2.2'))
})

test('a zone index makes no second caller', () => equal(addressKey('fe80::1%eth0'), addressKey('fe80::2%eth1')))

test('what is no address shares one count', () => equal(addressKey(''), addressKey('nonsense')))
