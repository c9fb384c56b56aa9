import { X509Certificate } from 'node:crypto'

/** What a listener needs, and what an operator wants to see of it. */
export type TlsMaterial = {
  /** PEM; the certificate may be followed by its chain. */
  cert: string
  key: string
  /** SHA-256 of the server certificate, hex pairs with colons, as browsers and openssl show it. */
  fingerprint: string
  /** Epoch ms. */
  expiresAt: number
}

/** Where TLS comes from; `open-tls.ts` makes one. */
export interface Tls {
  readonly mode: 'self' | 'files' | 'proxy'
  /** Undefined in mode `proxy`. */
  readonly material: TlsMaterial | undefined
  /** The authority that clients must trust, with its file; only in mode `self`. */
  readonly authority: { pem: string; file: string; fingerprint: string } | undefined
  /** Reads or renews what is due. True: `material` is new. Never throws: what is bad is logged, and the old stays. */
  refresh(): Promise<boolean>
}

/** Throws a sentence where the two do not belong together or are not PEM. */
export function materialOf(cert: string, key: string): TlsMaterial {
  const certificate = new X509Certificate(cert)
  return { cert, key, fingerprint: certificate.fingerprint256, expiresAt: Date.parse(certificate.validTo) }
}
