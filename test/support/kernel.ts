import { resolve } from 'node:path'
import { findKernel } from '../../src/engine/ggml/find-kernel.ts'
import type { Kernel } from '../../src/engine/ggml/kernel.ts'
import { loadGgml } from '../../src/engine/ggml/load.ts'

/** Where `./unmask` keeps it too. */
export const KERNEL_FOLDER = resolve('node_modules/.cache/kernel')

/** The kernel of this processor, compiled once for all tests; undefined where it cannot be, and `why` is printed. */
export async function testedKernel(): Promise<Kernel | undefined> {
  const { kernel, why } = await findKernel(loadGgml(), [KERNEL_FOLDER])
  if (kernel === undefined) console.log(`ggml's own products are tested alone: ${why}`)
  return kernel
}

/** For each instruction set that is known and that this processor has: one kernel. */
export async function testedKernels(): Promise<Kernel[]> {
  const own = await testedKernel()
  if (own === undefined || own.isa === 'avx2') return own === undefined ? [] : [own]
  const { kernel, why } = await findKernel(loadGgml(), [KERNEL_FOLDER], 'x86-64-v3')
  if (kernel === undefined) throw new Error(why)
  return [own, kernel]
}
