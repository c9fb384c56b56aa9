import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { access, constants, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const FOLDER = fileURLToPath(new URL('../../../native', import.meta.url))
const HEADERS = ['vectors.h', 'packed.h', 'quantise.h']
const SOURCES = ['pack.c', 'quantise.c', 'product.c', 'remember.c', 'attention.c', 'candidates.c', 'limits.c']
/** Sums in the order that is written, nothing fused that is not fused by name: the same bits from every compiler. */
const FLAGS = ['-O3', '-ffp-contract=off', '-fno-math-errno', '-shared', '-fPIC']
const COMPILERS = ['cc', 'gcc', 'clang']
const TIMEOUT_MS = 300_000

const run = promisify(execFile)

/**
 * The library of native/*.c for this processor: from the first folder that has it, else compiled (some
 * seconds) into the first that can be written. Its name tells source, flags and processor, so that a folder
 * that moves to another machine is no danger. Throws a sentence where it cannot be compiled.
 * `processor`: another one than this, in the compiler's words.
 */
export async function compileKernel(folders: readonly string[], processor = 'native'): Promise<string> {
  const flags = [`-march=${processor}`, ...FLAGS]
  const hash = createHash('sha256')
  for (const name of [...HEADERS, ...SOURCES]) hash.update(await readFile(join(FOLDER, name)))
  hash.update(JSON.stringify([flags, process.platform, process.arch, await describeProcessor()]))
  const name = `kernel-${hash.digest('hex').slice(0, 20)}.so`
  for (const folder of folders) {
    if (await allows(join(folder, name), constants.R_OK)) return join(folder, name)
  }
  for (const folder of folders) {
    await mkdir(folder, { recursive: true }).catch(() => {})
    if (await allows(folder, constants.W_OK)) return compileInto(join(folder, name), flags)
  }
  throw new Error(`No folder for the compiled kernel can be written: ${folders.join(', ')}.`)
}

/** Under another name until it is whole: several processes may start at once. */
async function compileInto(library: string, flags: readonly string[]): Promise<string> {
  const unfinished = `${library}.${randomBytes(6).toString('hex')}`
  try {
    await compile(unfinished, flags)
    await rename(unfinished, library)
  } finally {
    await rm(unfinished, { force: true })
  }
  return library
}

async function compile(target: string, flags: readonly string[]): Promise<void> {
  for (const compiler of COMPILERS) {
    try {
      await run(compiler, [...flags, ...SOURCES.map((name) => join(FOLDER, name)), '-lm', '-o', target], {
        timeout: TIMEOUT_MS,
      })
      return
    } catch (error) {
      if (isMissing(error)) continue
      const [line = ''] = /.*error:.*/.exec(String(error)) ?? []
      throw new Error(`${compiler} could not compile native/ for this processor${line && `: ${line}`}`, {
        cause: error,
      })
    }
  }
  throw new Error('There is no C compiler: install gcc or clang and start again.')
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

async function describeProcessor(): Promise<string> {
  try {
    const [flags = ''] = /^(?:flags|Features)\s*:.*$/m.exec(await readFile('/proc/cpuinfo', 'utf8')) ?? []
    return flags
  } catch {
    // Not Linux: the name has to do.
    return cpus()[0]?.model ?? ''
  }
}

async function allows(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode)
    return true
  } catch {
    // Not there, or not for this user: which of them does not matter.
    return false
  }
}
