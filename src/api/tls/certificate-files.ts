import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Log } from '../../lib/log.ts'
import { materialOf, type Tls, type TlsMaterial } from './tls.ts'

type Files = { certFile: string; keyFile: string }

/** A certificate of the operator's own. The first read must succeed; a bad file later keeps the old pair and is logged. */
export async function openCertificateFiles(files: Files, log: Log): Promise<Tls> {
  let material = await readFiles(files)
  return {
    mode: 'files',
    authority: undefined,
    get material() {
      return material
    },
    async refresh() {
      const before = material
      try {
        material = await readFiles(files)
      } catch (error) {
        log.error('tls_reload_failed', {
          error: error instanceof Error ? error.message : String(error),
          kept: before.fingerprint,
        })
      }
      return material.cert !== before.cert || material.key !== before.key
    },
  }
}

async function readFiles({ certFile, keyFile }: Files): Promise<TlsMaterial> {
  if (certFile === '' || keyFile === '') {
    throw new Error("TLS mode 'files' needs tlsCertFile and tlsKeyFile: name two PEM files, or choose tlsMode 'self'.")
  }
  const cert = await readPem(certFile, 'certificate')
  const key = await readPem(keyFile, 'private key')
  const matches = check(certFile, 'certificate', () =>
    new X509Certificate(cert).checkPrivateKey(privateKey(keyFile, key)),
  )
  if (!matches) throw new Error(`The private key in ${keyFile} does not belong to the certificate in ${certFile}.`)
  check(certFile, 'certificate', () => createSecureContext({ cert, key }))
  return materialOf(cert, key)
}

async function readPem(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new Error(`The TLS ${what} ${path} cannot be read: ${codeOf(error)}.`, { cause: error })
  }
}

function privateKey(path: string, pem: string): ReturnType<typeof createPrivateKey> {
  return check(path, 'private key', () => createPrivateKey(pem))
}

function check<T>(path: string, what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new Error(`${path} holds no usable ${what} in PEM form (${codeOf(error)}).`, { cause: error })
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
