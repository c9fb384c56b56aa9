import { equal } from 'node:assert/strict'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { createPrivateKey } from 'node:crypto'
import { issueAuthority, issueServer } from '../../api/tls/issue-certificate.ts'
import { systemClock } from '../clock.ts'
import type { Exemption } from './guard.ts'
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts'

const NOW = Date.now()
const LIFE = { notBefore: NOW - 60_000, notAfter: NOW + 3_600_000 }
const authority = issueAuthority('Test authority', LIFE)
const stranger = issueAuthority('Another authority', LIFE)
const issued = issueServer(['localhost', '127.0.0.1'], LIFE, {
  certPem: authority.certPem,
  key: createPrivateKey(authority.keyPem),
})

let server: Server
let port = 0
const open: GuardedFetch[] = []

before(async () => {
  server = createServer({ cert: issued.certPem, key: issued.keyPem }, (_request, response) => response.end('own page'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
after(async () => {
  await Promise.all(open.map((fetch) => fetch.close()))
  server.closeAllConnections()
  server.close()
})

async function ask(host: string, exempt: Exemption[]): Promise<string> {
  const resolve = async (): Promise<{ address: string }[]> => [{ address: '127.0.0.1' }]
  const fetch = createGuardedFetch({ resolve, allowPrivate: false, clock: systemClock, exempt })
  open.push(fetch)
  const outcome = await fetch.once(`https://${host}:${port}/`, [], new AbortController().signal)
  return outcome.kind === 'answered' ? Buffer.from(outcome.decoded).toString() : outcome.reason
}

describe('the server’s own origin, private address and own certificate authority', () => {
  const own = (host: string, ca?: string): Exemption[] => [
    { origin: `https://${host}:${port}`, ...(ca === undefined ? {} : { ca }) },
  ]

  for (const host of ['127.0.0.1', 'localhost']) {
    test(`${host}: is asked, trusting its own authority`, async () => {
      equal(await ask(host, own(host, authority.certPem)), 'own page')
    })
  }
  test('is not trusted without that authority, nor by another', async () => {
    equal(await ask('localhost', own('localhost')), 'tls')
    equal(await ask('localhost', own('localhost', stranger.certPem)), 'tls')
  })
  test('a name that the certificate does not hold is refused', async () => {
    equal(await ask('other.example', own('other.example', authority.certPem)), 'tls')
  })
  test('nothing else is exempt with it: another name, the same name at another port', async () => {
    equal(await ask('localhost', own('127.0.0.1', authority.certPem)), 'port')
    equal(await ask('127.0.0.1', [{ origin: 'https://127.0.0.1', ca: authority.certPem }]), 'port')
  })
})
