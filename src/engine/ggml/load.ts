import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import koffi from 'koffi'
import type { LibraryHandle } from 'koffi'
import type { Backend, BufferType } from './handles.ts'
import { bindSymbols, callSetThreads, findSymbol, type Symbols } from './symbols.ts'

/** The C interface promises nothing between versions, so one version is allowed (package 3.21.1 brings it). */
const VERSION = '0.23.0'
const CPU_DEVICE = 0

const PACKAGES: Record<string, string> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
}

/** ggml, loaded once a process: its functions and the CPU backend. */
export type Ggml = {
  symbols: Symbols
  backend: Backend
  bufferType: BufferType
  version: string
  /** Folder of the libraries. */
  folder: string
  /** The processor in ggml's words. */
  device: string
  setThreads(threads: number): void
}

let loaded: Ggml | undefined

/** Loads the libraries on the first call (about 50 ms); throws a sentence when they are missing or of another version. */
export function loadGgml(): Ggml {
  loaded ??= load(findFolder())
  return loaded
}

function load(folder: string): Ggml {
  const files = readdirSync(folder)
  const base = koffi.load(join(folder, findLibrary(files, /^(lib)?ggml-base\.(so|dylib|dll)$/, folder)))
  const registry = koffi.load(join(folder, findLibrary(files, /^(lib)?ggml(\.v[\d.]+)?\.(so|dylib|dll)$/, folder)))
  const symbols = bindSymbols(base, registry)
  const version = symbols.ggml_version()
  if (version !== VERSION) {
    throw new Error(`The libraries in ${folder} are ggml ${version}, but ${VERSION} is needed: run npm ci again.`)
  }
  return openCpu(symbols, base, folder)
}

function openCpu(symbols: Symbols, base: LibraryHandle, folder: string): Ggml {
  // ggml would tell on standard error which library it took. A C function that does nothing takes its log meanwhile.
  symbols.ggml_log_set(findSymbol(base, 'ggml_time_init'), null)
  symbols.ggml_backend_load_all_from_path(folder)
  symbols.ggml_log_set(null, null)
  const device = symbols.ggml_backend_dev_by_type(CPU_DEVICE)
  const backend = device === null ? null : symbols.ggml_backend_dev_init(device, '')
  if (device === null || backend === null) {
    throw new Error(`No library in ${folder} runs on this processor: please report its name (doctor tells it).`)
  }
  const registry = symbols.ggml_backend_dev_backend_reg(device)
  const setThreads = symbols.ggml_backend_reg_get_proc_address(registry, 'ggml_backend_set_n_threads')
  if (setThreads === null) throw new Error(`The libraries in ${folder} cannot set threads: run npm ci again.`)
  return {
    symbols,
    backend,
    bufferType: symbols.ggml_backend_get_default_buffer_type(backend),
    version: VERSION,
    folder,
    device: symbols.ggml_backend_dev_description(device),
    setThreads: (threads) => callSetThreads(setThreads, backend, threads),
  }
}

function findFolder(): string {
  const platform = `${process.platform}-${process.arch}`
  const name = PACKAGES[platform]
  if (name === undefined) {
    throw new Error(`There are no ggml libraries for ${platform}; use one of ${Object.keys(PACKAGES).join(', ')}.`)
  }
  try {
    const entry = fileURLToPath(import.meta.resolve(`@node-llama-cpp/${name}`))
    const bins = join(dirname(dirname(entry)), 'bins')
    const folder = existsSync(bins) ? readdirSync(bins)[0] : undefined
    if (folder !== undefined) return join(bins, folder)
  } catch {
    // Not installed: told below, with what to do.
  }
  throw new Error(`The package @node-llama-cpp/${name} is missing: run npm ci (without leaving out optional packages).`)
}

function findLibrary(files: readonly string[], pattern: RegExp, folder: string): string {
  const file = files.find((name) => pattern.test(name))
  if (file === undefined) throw new Error(`There is no library ${pattern.source} in ${folder}: run npm ci again.`)
  return file
}
