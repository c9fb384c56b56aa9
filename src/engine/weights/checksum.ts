import { createHash } from 'node:crypto'
import { open, readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const CHUNK_BYTES = 2 ** 22
const CACHE_FILE = 'checksums.json'

type Seen = { bytes: number; modifiedMs: number; inode: number; sha256: string }

/**
 * SHA-256 of a whole file, in hex. With `cacheFolder`, a file whose path, size, time and inode have not changed since
 * it was last hashed is not read again; the cache may be lost or damaged at any time without harm.
 */
export async function fileSha256(path: string, cacheFolder?: string): Promise<string> {
  const file = resolve(path)
  const handle = await open(file, 'r')
  try {
    const stat = await handle.stat()
    const known = { bytes: stat.size, modifiedMs: stat.mtimeMs, inode: stat.ino }
    const cache = cacheFolder === undefined ? {} : await readCache(cacheFolder)
    const seen = cache[file]
    if (seen?.bytes === known.bytes && seen.modifiedMs === known.modifiedMs && seen.inode === known.inode) {
      return seen.sha256
    }
    const hash = createHash('sha256')
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, Math.max(stat.size, 1)))
    while (true) {
      const { bytesRead } = await handle.read(chunk, 0, chunk.length)
      if (bytesRead === 0) break
      hash.update(chunk.subarray(0, bytesRead))
    }
    const sha256 = hash.digest('hex')
    if (cacheFolder !== undefined) await writeCache(cacheFolder, { ...cache, [file]: { ...known, sha256 } })
    return sha256
  } finally {
    await handle.close()
  }
}

async function readCache(folder: string): Promise<Record<string, Seen>> {
  try {
    const parsed: unknown = JSON.parse(await readFile(join(folder, CACHE_FILE), 'utf8'))
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, Seen>) : {}
  } catch {
    return {}
  }
}

/** A cache that cannot be written costs time at the next start and nothing else. */
async function writeCache(folder: string, cache: Record<string, Seen>): Promise<void> {
  const partial = join(folder, `${CACHE_FILE}.${process.pid}`)
  try {
    await writeFile(partial, JSON.stringify(cache, undefined, 1))
    await rename(partial, join(folder, CACHE_FILE))
  } catch {
    return
  }
}
