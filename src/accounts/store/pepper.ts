import { randomBytes } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AccountsError } from '../accounts-error.ts'

const PEPPER_BYTES = 32

/**
 * The server's secret under which keys are hashed: `<folder>/pepper`, 32 bytes, mode 0600, made once.
 * mayCreate: false where keys exist already, since a new pepper would silently turn all of them into wrong keys.
 */
export async function loadPepper(folder: string, mayCreate: boolean): Promise<Buffer> {
  const path = join(folder, 'pepper')
  const found = await readIfThere(path)
  if (found === undefined && !mayCreate) {
    throw new AccountsError(
      `${path} is missing, but accounts.db holds keys that were made with it. Restore the file from your backup; ` +
        'without it no existing key can work, so move accounts.db away to start afresh.',
    )
  }
  const pepper = found ?? (await createPepper(folder, path))
  if (pepper.length === PEPPER_BYTES) return pepper
  throw new AccountsError(`${path} has ${pepper.length} bytes instead of ${PEPPER_BYTES}. Restore it from your backup.`)
}

/** A link appears whole or not at all, and never replaces: of two processes that start at once, both read the same one. */
async function createPepper(folder: string, path: string): Promise<Buffer> {
  const draft = join(folder, `pepper.${process.pid}.${randomBytes(4).toString('hex')}`)
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(randomBytes(PEPPER_BYTES))
    await file.sync()
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await file.close()
    await rm(draft)
  }
  return readFile(path)
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
