import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../lib/replace-file.ts'

const BYTES = 32

/** The key that signs addresses of pictures in results; made once, the same for all processes of a data folder. */
export function readLinkKey(dataFolder: string): Uint8Array {
  const path = join(dataFolder, 'link-key')
  const known = existsSync(path) ? readFileSync(path) : undefined
  if (known?.length === BYTES) return known
  const made = randomBytes(BYTES)
  replaceFile(path, made, 0o600)
  return made
}
