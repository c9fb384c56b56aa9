import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** A package of native code that npm may leave out without a word. inUse: undefined where the system cannot tell. */
export type NativePackage = { name: string; version: string; installed: boolean; inUse: boolean | undefined }

type Locked = {
  version?: string
  optional?: boolean
  dev?: boolean
  os?: string | string[]
  cpu?: string | string[]
  libc?: string | string[]
  optionalDependencies?: Record<string, string>
}
export type Lock = { packages: Record<string, Locked> }
export type Platform = { os: string; cpu: string; libc: string }

/** loadedBy: the package that the program imports to get it; itself, where our own manifest names it. */
export type Expected = { name: string; version: string; loadedBy: string }

const ARCHITECTURES = ['arm64', 'x64', 'ia32', 'arm', 'loong64', 'ppc64', 'riscv64']

/** What of the lock file this platform should have: optional, not for development, made for it. */
export function expectedPackages({ packages }: Lock, platform: Platform): Expected[] {
  return Object.entries(packages).flatMap(([path, locked]) => {
    const name = nameOf(path)
    if (locked.optional !== true || locked.dev === true || !fits(name, locked, platform)) return []
    const parent = Object.entries(packages).find(([, one]) => one.optionalDependencies?.[name] !== undefined)?.[0] ?? ''
    return [{ name, version: locked.version ?? '', loadedBy: parent === '' ? name : nameOf(parent) }]
  })
}

function fits(name: string, { os, cpu, libc }: Locked, platform: Platform): boolean {
  // @node-llama-cpp/linux-arm64 declares x64 too, but holds nothing for it.
  const other = ARCHITECTURES.some((one) => one !== platform.cpu && name.split('-').includes(one))
  const right = [os].flat().includes(platform.os) && [cpu].flat().includes(platform.cpu)
  return right && !other && (libc === undefined || [libc].flat().includes(platform.libc))
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** Loads each as the program does, then looks whether its files are in this process's memory. */
export function inspectPackages(root: string, expected: Expected[]): NativePackage[] {
  const require = createRequire(join(root, 'package.json'))
  for (const { loadedBy } of expected) {
    try {
      require(loadedBy)
    } catch {
      // An executable is no module, and what cannot be loaded is told as not in use.
    }
  }
  const maps = '/proc/self/maps'
  const mapped = existsSync(maps) ? readFileSync(maps, 'utf8') : undefined
  return expected.map(({ name, version }) => {
    const folder = join(root, 'node_modules', name)
    const installed = existsSync(join(folder, 'package.json'))
    return { name, version, installed, inUse: mapped?.includes(`${folder}/`) }
  })
}

export function readExpectedPackages(root: string): Expected[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  return expectedPackages(lock, { os: process.platform, cpu: process.arch, libc: readLibc() })
}

/** Node tells the version of the GNU library it runs on; without one it is musl. */
function readLibc(): string {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return header.glibcVersionRuntime === undefined ? 'musl' : 'glibc'
}
