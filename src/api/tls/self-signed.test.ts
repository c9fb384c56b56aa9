import { deepEqual, equal, notEqual, ok, rejects } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { silentLog } from '../../lib/log.ts'
import { openSelfSigned } from './self-signed.ts'

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 10, 21)

async function open(
  folder: string,
  now = START,
  names = ['box.example.org', '192.0.2.7', '2001:db8::7', 'bücher.example'],
) {
  const clock = { now: () => now, monotonicMs: () => now }
  return openSelfSigned({ folder, names, clock, log: silentLog })
}

async function newFolder(): Promise<string> {
  return join(await mkdtemp(join(tmpdir(), 'unmask-tls-')), 'tls')
}

describe('a certificate of our own', async () => {
  const folder = await newFolder()
  const first = await open(folder)
  const server = new X509Certificate(first.material?.cert ?? '')
  const authority = new X509Certificate(first.authority?.pem ?? '')

  test('is on P-256, signed by an authority that may sign servers only', () => {
    equal(server.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
    equal(authority.ca, true)
    equal(server.ca, false)
    ok(server.verify(authority.publicKey) && authority.verify(authority.publicKey))
    equal(first.material?.fingerprint, server.fingerprint256)
  })
  test('holds the names, localhost and both loopback addresses', () => {
    for (const name of ['box.example.org', 'localhost', 'xn--bcher-kva.example']) ok(server.checkHost(name), name)
    for (const address of ['192.0.2.7', '2001:db8::7', '127.0.0.1', '::1']) ok(server.checkIP(address), address)
    equal(server.checkHost('elsewhere.example'), undefined)
  })
  test('passes the strict rules of RFC 5280 (openssl -x509_strict)', () => {
    const files = ['-CAfile', join(folder, 'ca.pem'), join(folder, 'server.pem')]
    const at = ['-attime', String(START / 1000)]
    ok(
      execFileSync('openssl', ['verify', '-x509_strict', '-purpose', 'sslserver', ...at, ...files], {
        encoding: 'utf8',
      }).includes('OK'),
    )
  })
  test('lives in files that only their owner reads', async () => {
    for (const name of ['ca.pem', 'ca-key.pem', 'server.pem', 'server-key.pem']) {
      equal((await stat(join(folder, name))).mode & 0o777, 0o600, name)
    }
    equal((await stat(folder)).mode & 0o777, 0o700)
  })
  test('is the same after a new start', async () => {
    equal((await open(folder)).material?.fingerprint, first.material?.fingerprint)
  })
})

describe('renewal', () => {
  test('the server certificate at two thirds of its life, under the same authority', async () => {
    const folder = await newFolder()
    const first = await open(folder)
    const early = await open(folder, START + 255 * DAY_MS)
    equal(early.material?.fingerprint, first.material?.fingerprint)
    const late = await open(folder, START + 265 * DAY_MS)
    notEqual(late.material?.fingerprint, first.material?.fingerprint)
    equal(late.authority?.pem, first.authority?.pem)
  })
  test('the authority at two thirds of its own', async () => {
    const folder = await newFolder()
    const first = await open(folder)
    const late = await open(folder, START + 2500 * DAY_MS)
    notEqual(late.authority?.fingerprint, first.authority?.fingerprint)
    ok(new X509Certificate(late.material?.cert ?? '').verify(new X509Certificate(late.authority?.pem ?? '').publicKey))
  })
  test('when the names change', async () => {
    const folder = await newFolder()
    const first = await open(folder)
    const renamed = await open(folder, START, ['other.example.org'])
    notEqual(renamed.material?.fingerprint, first.material?.fingerprint)
    ok(new X509Certificate(renamed.material?.cert ?? '').checkHost('other.example.org'))
  })
  test('when a name is taken away: nobody can pose under it with this certificate', async () => {
    const folder = await newFolder()
    await open(folder)
    const fewer = new X509Certificate((await open(folder, START, ['192.0.2.7'])).material?.cert ?? '')
    deepEqual([fewer.checkHost('box.example.org'), fewer.checkIP('192.0.2.7')], [undefined, '192.0.2.7'])
  })
  test('while the server runs: refresh takes it up', async () => {
    let now = START
    const folder = await newFolder()
    const tls = await openSelfSigned({
      folder,
      names: [],
      clock: { now: () => now, monotonicMs: () => now },
      log: silentLog,
    })
    equal(await tls.refresh(), false)
    now += 300 * DAY_MS
    equal(await tls.refresh(), true)
  })
  test('when a file is broken or its key is another one', async () => {
    const folder = await newFolder()
    const first = await open(folder)
    await writeFile(join(folder, 'server.pem'), 'broken')
    const second = await open(folder)
    notEqual(second.material?.fingerprint, first.material?.fingerprint)
    await writeFile(join(folder, 'server-key.pem'), await readFile(join(folder, 'ca-key.pem')))
    notEqual((await open(folder)).material?.fingerprint, second.material?.fingerprint)
  })
})

describe('the authority that clients trust stays', () => {
  test('when one of its files is there and cannot be read', async () => {
    const folder = await newFolder()
    await open(folder)
    const key = await readFile(join(folder, 'ca-key.pem'), 'utf8')
    await rename(join(folder, 'ca.pem'), join(folder, 'aside'))
    await mkdir(join(folder, 'ca.pem'))
    await rejects(open(folder), /ca\.pem cannot be read \(EISDIR\): let the user that serves read it/)
    equal(await readFile(join(folder, 'ca-key.pem'), 'utf8'), key)
  })
  test('when the clock has been set back', async () => {
    const folder = await newFolder()
    const first = await open(folder)
    equal((await open(folder, 0)).authority?.fingerprint, first.authority?.fingerprint)
  })
})

test('a name that is none is refused with a sentence', async () => {
  for (const name of [
    'not a name',
    'a.example/path',
    'a.example:8443',
    'a.example#b',
    '[::1]',
    'fe80::1%eth0',
    '-a.b',
  ]) {
    await rejects(open(await newFolder(), START, [name]), (error: Error) => {
      return error.message === `${JSON.stringify(name)} in names is neither a host name nor an address.`
    })
  }
})

test('a wildcard and an address written in IPv6 for IPv4 are names', async () => {
  const names = ['*.example.org', '::ffff:192.0.2.1']
  const folder = await newFolder()
  const first = await open(folder, START, names)
  equal((await open(folder, START, names)).material?.fingerprint, first.material?.fingerprint)
})
