import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readDataVersion } from '../data-folder.ts'
import { findReadyFile } from '../ready-file.ts'

export type DataReport = {
  folder: string
  /** Undefined before the first start. */
  version: number | undefined
  freeBytes: number
  /** Base URL of the server that runs on this folder, if one does. */
  servedAt: string | undefined
  servedBy: number | undefined
}

export type TlsReport = {
  mode: string
  certificate: string
  fingerprint: string | undefined
  expiresAt: string | undefined
}

export function inspectData(folder: string): DataReport {
  const file = join(folder, 'version.json')
  const version = existsSync(file) ? readDataVersion(file) : undefined
  const ready = findReadyFile(folder)
  const running = ready !== undefined && isAlive(ready.pid) ? ready : undefined
  return { folder, version, freeBytes: freeBytes(folder), servedAt: running?.baseUrl, servedBy: running?.pid }
}

/** Looks at the certificate as it lies there: nothing is made or renewed. */
export function inspectTls(mode: string, certificate: string): TlsReport {
  if (mode === 'proxy' || !existsSync(certificate))
    return { mode, certificate, fingerprint: undefined, expiresAt: undefined }
  const { fingerprint256, validTo } = new X509Certificate(readFileSync(certificate))
  return { mode, certificate, fingerprint: fingerprint256, expiresAt: new Date(validTo).toISOString() }
}

function freeBytes(folder: string): number {
  // The folder may not exist before the first start: then the disk of the nearest one that does.
  let place = folder
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place)
  const { bavail, bsize } = statfsSync(place)
  return bavail * bsize
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
