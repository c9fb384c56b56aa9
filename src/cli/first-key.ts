import { join } from 'node:path'
import { replaceFile } from '../lib/replace-file.ts'

/** Where the local operator's first key is when nobody was there to read it. */
export function writeFirstKey(dataFolder: string, secret: string): string {
  const path = join(dataFolder, 'first-key')
  replaceFile(path, `${secret}\n`, 0o600)
  return path
}
