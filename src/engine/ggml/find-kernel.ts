import koffi from 'koffi'
import type { LibraryHandle } from 'koffi'
import { tensorBytes } from '../weights/types.ts'
import { checkKernel } from './check-kernel.ts'
import { compileKernel } from './compile-kernel.ts'
import { ELEMENT_TYPES } from './element-types.ts'
import type { Address } from './handles.ts'
import { KERNEL_OPS, type Kernel, type PackedType } from './kernel.ts'
import type { Ggml } from './load.ts'
import { bindKernel, findSymbol, type KernelSymbols } from './symbols.ts'

/** The kernel, or the sentence that says why ggml's own products have to do. */
export type FoundKernel = { kernel: Kernel; why?: undefined } | { kernel: undefined; why: string }

/**
 * Compiles the kernel where none of the folders has it, loads and checks it; never throws: without it ggml computes, and
 * `why` tells. `processor`: compiled for another one, which this one must understand; for tests.
 */
export async function findKernel(ggml: Ggml, folders: readonly string[], processor?: string): Promise<FoundKernel> {
  try {
    const library = koffi.load(await compileKernel(folders, processor))
    const kernel = wrap(library, bindKernel(library))
    await checkKernel(ggml, kernel)
    return { kernel }
  } catch (error) {
    return { kernel: undefined, why: error instanceof Error ? error.message : String(error) }
  }
}

function wrap(library: LibraryHandle, symbols: KernelSymbols): Kernel {
  const packedBytes = (type: PackedType, from: number, to: number) => symbols.packedBytes(ELEMENT_TYPES[type], from, to)
  return {
    isa: symbols.isa(),
    packedBytes,
    pack: (type, [from, to], file, packed) => {
      // C reads and writes by the shape alone.
      if (packed.length !== packedBytes(type, from, to))
        throw new RangeError(`${packed.length} bytes of packed ${type}`)
      if (file.length !== tensorBytes(type, [from, to])) throw new RangeError(`${file.length} bytes of ${type}`)
      if (symbols.pack(ELEMENT_TYPES[type], from, to, file, packed) === 0)
        throw new RangeError(`${to} rows of ${from} numbers of ${type} cannot be packed`)
    },
    attends: (headWidth) => symbols.attends(headWidth) !== 0,
    peak: (rounds) => symbols.peak(rounds),
    read: (bytes) => void symbols.read(bytes, bytes.length),
    ops: mapOps((name) => findSymbol(library, name)),
  }
}

function mapOps(find: (name: string) => Address): Kernel['ops'] {
  const entries = Object.entries(KERNEL_OPS).map(([op, name]): [string, Address] => [op, find(name)])
  // The very keys of the table.
  return Object.fromEntries(entries) as Kernel['ops']
}
