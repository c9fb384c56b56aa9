import { equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isPublicAddress } from './address-guard.ts'
import { type GuardRules, refuseUrl } from './guard.ts'

const CLOSED: GuardRules = { resolve: async () => [], allowPrivate: false }

const REFUSED: Record<string, string[]> = {
  'this host, loopback': ['0.0.0.0', '0.1.2.3', '127.0.0.1', '127.255.255.254', '::', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd00::1', 'fc00::1', 'fec0::1'],
  'link-local, where clouds keep their secrets': ['169.254.169.254', 'fe80::1', 'fd00:ec2::254'],
  'shared by carriers': ['100.64.0.1', '100.127.255.255', '100.100.100.200'],
  'multicast, broadcast, reserved': ['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', 'ff02::1'],
  'protocol, documentation, benchmarks': [
    '192.0.0.1',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '2001:db8::1',
    '3fff::1',
    '2001:2::1',
    '100::1',
    '5f00::1',
  ],
  'IPv6 that carries IPv4': [
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:0:8.8.8.8',
    '::7f00:1',
    '::8.8.8.8',
    '2002:7f00:1::',
    '2002:808:808::1',
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '2001:0:1::1',
    '2001::1',
  ],
  'no address': [
    '',
    'localhost',
    '127.1',
    '0x7f.1',
    '2130706433',
    '1.2.3',
    '1.2.3.4.5',
    '[::1]',
    'example.org',
    '::1%lo',
  ],
}
const ALLOWED = [
  '8.8.8.8',
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '192.0.1.1',
  '223.255.255.255',
  '2606:4700::1',
  '2a00:1450:4001::200e',
  '2001:4860:4860::8888',
]

for (const [kind, addresses] of Object.entries(REFUSED)) {
  describe(`refused: ${kind}`, () => {
    for (const address of addresses) test(address, () => equal(isPublicAddress(address), false))
  })
}

describe('allowed: public unicast', () => {
  for (const address of ALLOWED) test(address, () => equal(isPublicAddress(address), true))
})

describe('every way to write an address in a URL is seen through', () => {
  const urls = [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://127.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://0x7f.0x0.0x0.0x1/',
    'http://%31%32%37.0.0.1/',
    'http://①②⑦.⓪.⓪.①/',
    'http://１２７.０.０.１/',
    'http://127。0。0。1/',
    'http://127.0.0.1./',
    'http://0/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://3232235777/',
    'https://10.1/',
  ]
  for (const text of urls) test(text, () => equal(refuseUrl(new URL(text), CLOSED), 'address'))
})

describe('other refusals by text alone', () => {
  const cases: Record<string, string | undefined> = {
    'ftp://example.org/': 'scheme',
    'file:///etc/passwd': 'scheme',
    'gopher://127.0.0.1:70/': 'scheme',
    'http://user@example.org/': 'credentials',
    'http://example.org:22/': 'port',
    'http://example.org:8080/': 'port',
    'http://example.org/': undefined,
    'https://example.org:443/': undefined,
    'https://example.org:80/': undefined,
  }
  for (const [text, reason] of Object.entries(cases)) test(text, () => equal(refuseUrl(new URL(text), CLOSED), reason))
})

test('an exemption is one exact origin', () => {
  const rules: GuardRules = { ...CLOSED, exempt: [{ origin: 'https://127.0.0.1:8443' }] }
  equal(refuseUrl(new URL('https://127.0.0.1:8443/docs/'), rules), undefined)
  equal(refuseUrl(new URL('http://127.0.0.1:8443/docs/'), rules), 'port')
  equal(refuseUrl(new URL('https://127.0.0.1:8444/'), rules), 'port')
  equal(refuseUrl(new URL('https://127.0.0.1/'), rules), 'address')
})

test('no IPv4 address becomes public by being written as IPv6', () => {
  fc.assert(
    fc.property(fc.ipV4(), (v4) => {
      for (const form of [`::ffff:${v4}`, `::${v4}`, `64:ff9b::${v4}`]) equal(isPublicAddress(form), false, form)
    }),
  )
})
