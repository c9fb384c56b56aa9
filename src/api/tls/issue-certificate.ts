import { createHash, generateKeyPairSync, randomBytes, sign, X509Certificate, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { bits, boolean, context, integer, octets, oid, sequence, set, time, utf8 } from './der.ts'

const OID = {
  commonName: '2.5.4.3',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  basicConstraints: '2.5.29.19',
  keyUsage: '2.5.29.15',
  extKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  subjectAltName: '2.5.29.17',
  subjectKey: '2.5.29.14',
  authorityKey: '2.5.29.35',
} as const

/** Key usage bits of RFC 5280, 4.2.1.3: keyCertSign and cRLSign for an authority, digitalSignature for a server. */
const AUTHORITY_USAGE = bits(Uint8Array.of(0x06), 1)
const SERVER_USAGE = bits(Uint8Array.of(0x80), 7)

export type Issued = { certPem: string; keyPem: string }
export type Authority = { certPem: string; key: KeyObject }
export type Life = { notBefore: number; notAfter: number }

/**
 * A certificate authority on EC P-256, for this installation alone. Written by hand in DER because clients that verify
 * strictly (Python 3.13, `openssl -x509_strict`) ask for both key identifiers (RFC 5280, 4.2.1.1 and 4.2.1.2).
 */
export function issueAuthority(name: string, life: Life): Issued {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const extensions = [
    extension(OID.basicConstraints, true, sequence(boolean(true), integer(Uint8Array.of(0)))),
    extension(OID.keyUsage, true, AUTHORITY_USAGE),
    extension(OID.subjectKey, false, octets(keyIdentifier(publicKey))),
  ]
  const subject = commonName(name)
  const certPem = signed({ subject, issuer: subject, publicKey, life, extensions }, privateKey)
  return { certPem, keyPem: pkcs8(privateKey) }
}

/** A server certificate for host names and addresses, signed by the authority. */
export function issueServer(names: readonly string[], life: Life, authority: Authority): Issued {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = new X509Certificate(authority.certPem)
  const extensions = [
    extension(OID.basicConstraints, true, sequence()),
    extension(OID.keyUsage, true, SERVER_USAGE),
    extension(OID.extKeyUsage, false, sequence(oid(OID.serverAuth))),
    extension(OID.subjectAltName, false, sequence(...names.map(alternativeName))),
    extension(OID.subjectKey, false, octets(keyIdentifier(publicKey))),
    extension(OID.authorityKey, false, sequence(context(0, keyIdentifier(issuer.publicKey), false))),
  ]
  const parts = { subject: commonName('Unmask'), issuer: commonName(nameOf(issuer)), publicKey, life, extensions }
  return { certPem: signed(parts, authority.key), keyPem: pkcs8(privateKey) }
}

type Parts = { subject: Buffer; issuer: Buffer; publicKey: KeyObject; life: Life; extensions: Buffer[] }

function signed(parts: Parts, key: KeyObject): string {
  const algorithm = sequence(oid(OID.ecdsaWithSha256))
  const body = sequence(
    context(0, integer(Uint8Array.of(2)), true),
    // 127 random bits: unique without a register, positive, at most 20 bytes (RFC 5280, 4.1.2.2).
    integer(randomBytes(16).map((byte, i) => (i === 0 ? (byte & 0x7f) | 0x40 : byte))),
    algorithm,
    parts.issuer,
    sequence(time(parts.life.notBefore), time(parts.life.notAfter)),
    parts.subject,
    parts.publicKey.export({ type: 'spki', format: 'der' }),
    context(3, sequence(...parts.extensions), true),
  )
  return pem('CERTIFICATE', sequence(body, algorithm, bits(sign('sha256', body, key))))
}

function extension(id: string, critical: boolean, value: Uint8Array): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value))
}

function commonName(name: string): Buffer {
  return sequence(set(sequence(oid(OID.commonName), utf8(name))))
}

function nameOf(certificate: X509Certificate): string {
  return /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? ''
}

/** RFC 5280, 4.2.1.2 method 1: SHA-1 of the key's bits, which for P-256 are the last 65 bytes of its SPKI. */
function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }).subarray(-65))
    .digest()
}

function alternativeName(name: string): Buffer {
  if (isIP(name) === 0) return context(2, Buffer.from(name, 'ascii'), false)
  return context(7, Uint8Array.from(ipaddr.parse(name).toByteArray()), false)
}

function pkcs8(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
