import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version that package.json declares. */
export function readVersion(root: string): string {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return manifest.version
}
