import { equal, rejects } from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../lib/clock.ts'
import { silentLog } from '../../lib/log.ts'
import { isLoopback, isWildcard, openTls } from './open-tls.ts'

const folder = await mkdtemp(join(tmpdir(), 'unmask-tls-'))
const parts = { folder, clock: systemClock, log: silentLog }
const none = { tlsCertFile: '', tlsKeyFile: '', names: [], host: '127.0.0.1', unixSocket: '' }

test('mode files says which file is wrong and how', async () => {
  const [certFile, keyFile] = [join(folder, 'a.pem'), join(folder, 'b.pem')]
  const open = (tlsCertFile: string, tlsKeyFile: string) =>
    openTls({ ...parts, options: { ...none, tlsMode: 'files', tlsCertFile, tlsKeyFile } })
  await rejects(open('', ''), /needs tlsCertFile and tlsKeyFile/)
  await rejects(open(certFile, keyFile), /certificate .*a\.pem cannot be read: ENOENT/)
  await writeFile(certFile, 'x')
  await writeFile(keyFile, 'x')
  await rejects(open(certFile, keyFile), /a\.pem holds no usable certificate in PEM form/)
  const own = await openTls({ ...parts, options: { ...none, tlsMode: 'self' } })
  const other = await openTls({ ...parts, folder: join(folder, 'other'), options: { ...none, tlsMode: 'self' } })
  await writeFile(certFile, own.material?.cert ?? '')
  await rejects(open(certFile, keyFile), /b\.pem holds no usable private key/)
  await writeFile(keyFile, other.material?.key ?? '')
  await rejects(open(certFile, keyFile), /private key in .*b\.pem does not belong to the certificate in .*a\.pem/)
  await writeFile(keyFile, own.material?.key ?? '')
  equal((await open(certFile, keyFile)).material?.fingerprint, own.material?.fingerprint)
})

test('loopback and wildcard addresses are told apart from others', () => {
  const of = (check: (host: string) => boolean) =>
    ['127.0.0.1', '127.9.9.9', '::1', 'localhost', '::ffff:127.0.0.1', '0.0.0.0', '::', '192.0.2.1', 'box'].filter(
      check,
    )
  equal(of(isLoopback).join(' '), '127.0.0.1 127.9.9.9 ::1 localhost ::ffff:127.0.0.1')
  equal(of(isWildcard).join(' '), '0.0.0.0 ::')
})
