import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package of native code that npm may leave out without a word. inUse: undefined where the system cannot tell. */
export type NativePackage = { name: string; version: string; installed: boolean; inUse: boolean | undefined }

type Locked = { version?: string; optional?: boolean; dev?: boolean; os?: string | string[]; cpu?: string | string[] }

const ARCHITECTURES = ['arm64', 'x64', 'ia32', 'arm', 'loong64', 'ppc64', 'riscv64']

/** Names of `package-lock.json` that this platform should have: optional, not for development, made for it. */
export function expectedPackages(
  lock: { packages: Record<string, Locked> },
  platform: string,
  arch: string,
): Map<string, string> {
  const expected = new Map<string, string>()
  for (const [path, locked] of Object.entries(lock.packages)) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const fits = [locked.os].flat().includes(platform) && [locked.cpu].flat().includes(arch)
    // @node-llama-cpp/linux-arm64 declares x64 too, but holds nothing for it.
    const other = ARCHITECTURES.some((one) => one !== arch && name.split('-').includes(one))
    if (locked.optional === true && locked.dev !== true && fits && !other) expected.set(name, locked.version ?? '')
  }
  return expected
}

/** `mapped`: the files that this process has in memory (`/proc/self/maps`), after everything native was loaded. */
export function inspectPackages(root: string, expected: Map<string, string>, mapped: string): NativePackage[] {
  return [...expected].map(([name, version]) => {
    const folder = join(root, 'node_modules', name)
    const installed = existsSync(join(folder, 'package.json'))
    return { name, version, installed, inUse: mapped === '' ? undefined : mapped.includes(`${folder}/`) }
  })
}

export function readExpectedPackages(root: string): Map<string, string> {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }
  return expectedPackages(lock, process.platform, process.arch)
}
