import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { clientAddress, isTrusted } from './client-address.ts'

const PROXIES = ['10.0.0.1', '10.1.0.0/16', '2001:db8::/32', 'unix']

describe('whose request it is', () => {
  const cases: [name: string, peer: string | undefined, forwarded: string | undefined, address: string][] = [
    ['a stranger is himself', '203.0.113.5', undefined, '203.0.113.5'],
    ['a stranger is not believed', '203.0.113.5', '192.0.2.1', '203.0.113.5'],
    ['a proxy is believed', '10.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['a proxy of a range', '10.1.2.3', '192.0.2.1', '192.0.2.1'],
    ['a proxy behind a proxy', '10.0.0.1', '192.0.2.1, 10.1.0.9', '192.0.2.1'],
    ['only the first stranger from the right counts', '10.0.0.1', '127.0.0.1, 192.0.2.1', '192.0.2.1'],
    ['a proxy that says nothing', '10.0.0.1', undefined, '10.0.0.1'],
    ['a proxy that says nonsense', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['mapped IPv4 is IPv4', '::ffff:10.0.0.1', '::ffff:192.0.2.1', '192.0.2.1'],
    ['IPv6', '2001:db8::7', '2001:470::1', '2001:470::1'],
    ['a unix socket', undefined, '192.0.2.1', '192.0.2.1'],
    ['a unix socket without a word', undefined, undefined, 'unix'],
    ['a chain of proxies alone', '10.0.0.1', '10.1.0.1', '10.1.0.1'],
  ]
  for (const [name, peer, forwarded, address] of cases) {
    test(name, () => equal(clientAddress(peer, forwarded, PROXIES), address))
  }
  test('a unix socket that is not listed is not believed', () => {
    equal(clientAddress(undefined, '192.0.2.1', []), 'unix')
  })
  test('families do not mix', () => equal(isTrusted('10.0.0.1', ['::/0']), false))
})
