import { createPrivateKey, X509Certificate } from 'node:crypto'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { domainToASCII } from 'node:url'
import type { Clock } from '../../lib/clock.ts'
import { randomBase62 } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { issueAuthority, issueServer, type Issued } from './issue-certificate.ts'
import { materialOf, type Tls, type TlsMaterial } from './tls.ts'

const DAY_MS = 86_400_000
const AUTHORITY_DAYS = 3650
/** Below the 398 days that browsers accept. */
const SERVER_DAYS = 390
/** Clocks of clients may be a little behind ours. */
const BACKDATE_MS = DAY_MS

type Parts = { folder: string; names: readonly string[]; clock: Clock; log: Log }

/**
 * Certificates of our own in `<data>/tls` (files 0600): an authority `ca.pem` that clients trust once, and a server
 * certificate for the configured names, localhost, 127.0.0.1 and ::1. Each is renewed when two thirds of its life are
 * over, the server's also when the names change.
 */
export async function openSelfSigned(parts: Parts): Promise<Tls> {
  const names = [...new Set([...parts.names.map(asciiName), 'localhost', '127.0.0.1', '::1'])]
  await mkdir(parts.folder, { recursive: true, mode: 0o700 })
  const load = async (): Promise<{ authorityPem: string; material: TlsMaterial }> => {
    const authority = await authorityFor(parts)
    const server = await serverFor(parts, names, authority)
    return { authorityPem: authority.certPem, material: materialOf(server.certPem, server.keyPem) }
  }
  let current = await load()
  return {
    mode: 'self',
    get material() {
      return current.material
    },
    get authority() {
      const { fingerprint256 } = new X509Certificate(current.authorityPem)
      return { pem: current.authorityPem, file: join(parts.folder, 'ca.pem'), fingerprint: fingerprint256 }
    },
    async refresh() {
      const before = current.material.fingerprint
      try {
        current = await load()
      } catch (error) {
        parts.log.error('tls_renewal_failed', { error: String(error) })
      }
      return current.material.fingerprint !== before
    },
  }
}

async function authorityFor({ folder, clock, log }: Parts): Promise<Issued> {
  const found = await readPair(folder, 'ca')
  // A clock that stands before the authority's first day is wrong: a new authority would cost every client its trust.
  if (found !== undefined && !isAging(found.certPem, clock.now())) return found
  const issued = issueAuthority(`Unmask local CA ${randomBase62(8)}`, lifeOf(clock.now(), AUTHORITY_DAYS))
  await writePair(folder, 'ca', issued)
  log.info('tls_authority_made', {
    fingerprint: new X509Certificate(issued.certPem).fingerprint256,
    renewed: found !== undefined,
  })
  return issued
}

async function serverFor({ folder, clock, log }: Parts, names: string[], authority: Issued): Promise<Issued> {
  const found = await readPair(folder, 'server')
  if (found !== undefined && isUsable(found.certPem, clock.now()) && fits(found.certPem, names, authority)) return found
  const issuer = { certPem: authority.certPem, key: createPrivateKey(authority.keyPem) }
  const issued = issueServer(names, lifeOf(clock.now(), SERVER_DAYS), issuer)
  await writePair(folder, 'server', issued)
  log.info('tls_certificate_made', { names: names.join(' '), renewed: found !== undefined })
  return issued
}

/**
 * Undefined where a file is missing or broken: both are made anew. Throws where one is there and cannot be read: what
 * clients trust must not be replaced because a disk or a limit failed for a moment.
 */
async function readPair(folder: string, name: string): Promise<Issued | undefined> {
  const certPem = await readIfThere(join(folder, `${name}.pem`))
  const keyPem = await readIfThere(join(folder, `${name}-key.pem`))
  if (certPem === undefined || keyPem === undefined) return undefined
  try {
    return new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem)) ? { certPem, keyPem } : undefined
  } catch {
    return undefined
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (code === 'ENOENT') return undefined
    throw new Error(`${path} cannot be read (${code}): let the user that serves read it.`, { cause: error })
  }
}

/** The key first: a certificate without its key would look whole until the first handshake. */
async function writePair(folder: string, name: string, issued: Issued): Promise<void> {
  await replaceFile(join(folder, `${name}-key.pem`), issued.keyPem)
  await replaceFile(join(folder, `${name}.pem`), issued.certPem)
}

async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBase62(6)}`
  await writeFile(temporary, text, { mode: 0o600 })
  await chmod(temporary, 0o600)
  await rename(temporary, path)
}

function lifeOf(now: number, days: number): { notBefore: number; notAfter: number } {
  return { notBefore: now - BACKDATE_MS, notAfter: now + days * DAY_MS }
}

function isUsable(certPem: string, now: number): boolean {
  return now >= Date.parse(new X509Certificate(certPem).validFrom) && !isAging(certPem, now)
}

/** Two thirds of its life are over. */
function isAging(certPem: string, now: number): boolean {
  const certificate = new X509Certificate(certPem)
  const from = Date.parse(certificate.validFrom)
  const to = Date.parse(certificate.validTo)
  return now >= from + ((to - from) * 2) / 3
}

/** Signed by the authority, for these names and no others. */
function fits(certPem: string, names: readonly string[], authority: Issued): boolean {
  const certificate = new X509Certificate(certPem)
  if (!certificate.verify(new X509Certificate(authority.certPem).publicKey)) return false
  if (certificate.subjectAltName?.split(', ').length !== names.length) return false
  return names.every((name) =>
    isIP(name) === 0 ? certificate.checkHost(name) !== undefined : certificate.checkIP(name) !== undefined,
  )
}

/** Labels of letters, digits, hyphens and underscores; the first may be the star of a wildcard (RFC 6125, 6.4.3). */
const HOST = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/

/** Certificates hold the ASCII form of international names. A path or a port would be cut off in silence: refused. */
function asciiName(name: string): string {
  const isAddress = isIP(name) !== 0 && !name.includes('%')
  const ascii = isAddress || /[/?#:[\]]/.test(name) ? name : domainToASCII(name)
  if (isAddress || HOST.test(ascii)) return ascii
  throw new Error(`${JSON.stringify(name)} in names is neither a host name nor an address.`)
}
