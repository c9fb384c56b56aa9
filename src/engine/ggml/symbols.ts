/** Every C function that is called: the only place that spells prototypes (ggml.h, ggml-alloc.h, ggml-backend.h at 0.23.0). */
import koffi from 'koffi'
import type { LibraryHandle } from 'koffi'
import type {
  Address,
  Allocator,
  Backend,
  BufferHandle,
  BufferType,
  Context,
  Device,
  GraphHandle,
  Registry,
  Tensor,
} from './handles.ts'

const InitParams = koffi.struct({ mem_size: 'size_t', mem_buffer: 'void *', no_alloc: 'bool' })

/** A kind of argument or result: how C passes it. `Value` says what it is here. */
const PASSED_AS = {
  tensor: 'void *',
  noTensor: 'void *',
  context: 'void *',
  graph: 'void *',
  buffer: 'void *',
  bufferType: 'void *',
  allocator: 'void *',
  backend: 'void *',
  device: 'void *',
  registry: 'void *',
  address: 'void *',
  bytes: 'void *',
  tensors: 'void *',
  number: 'intptr_t',
  init: InitParams,
  text: 'str',
  int: 'int',
  int64: 'int64_t',
  size: 'size_t',
  float: 'float',
  byte: 'uint8_t',
  bool: 'bool',
  none: 'void',
} as const

type Value = {
  tensor: Tensor
  noTensor: Tensor | null
  context: Context
  graph: GraphHandle
  buffer: BufferHandle | null
  bufferType: BufferType
  allocator: Allocator
  backend: Backend | null
  device: Device | null
  registry: Registry
  address: Address | null
  bytes: Uint8Array
  /** What `listTensors` makes. */
  tensors: BigUint64Array
  number: number
  init: { mem_size: number; mem_buffer: null; no_alloc: boolean }
  text: string
  int: number
  int64: number
  size: number
  float: number
  byte: number
  bool: boolean
  none: void
}
type Kind = keyof Value

/** name: [result, ...arguments]. */
const BASE = {
  ggml_version: ['text'],
  ggml_log_set: ['none', 'address', 'address'],

  ggml_init: ['context', 'init'],
  ggml_reset: ['none', 'context'],
  ggml_free: ['none', 'context'],
  ggml_tensor_overhead: ['size'],
  ggml_graph_overhead_custom: ['size', 'size', 'bool'],
  ggml_new_tensor_4d: ['tensor', 'context', 'int', 'int64', 'int64', 'int64', 'int64'],
  ggml_nbytes: ['size', 'tensor'],
  ggml_get_data: ['address', 'tensor'],

  ggml_get_rows: ['tensor', 'context', 'tensor', 'tensor'],
  ggml_set_rows: ['tensor', 'context', 'tensor', 'tensor', 'tensor'],
  ggml_mul_mat: ['tensor', 'context', 'tensor', 'tensor'],
  ggml_mul_mat_id: ['tensor', 'context', 'tensor', 'tensor', 'tensor'],
  ggml_add: ['tensor', 'context', 'tensor', 'tensor'],
  ggml_add_inplace: ['tensor', 'context', 'tensor', 'tensor'],
  ggml_acc_inplace: ['tensor', 'context', 'tensor', 'tensor', 'size', 'size', 'size', 'size'],
  ggml_mul: ['tensor', 'context', 'tensor', 'tensor'],
  ggml_div: ['tensor', 'context', 'tensor', 'tensor'],
  ggml_scale: ['tensor', 'context', 'tensor', 'float'],
  ggml_sum_rows: ['tensor', 'context', 'tensor'],
  ggml_rms_norm: ['tensor', 'context', 'tensor', 'float'],
  ggml_swiglu: ['tensor', 'context', 'tensor'],
  ggml_swiglu_split: ['tensor', 'context', 'tensor', 'tensor'],
  ggml_soft_max_ext: ['tensor', 'context', 'tensor', 'noTensor', 'float', 'float'],
  ggml_top_k: ['tensor', 'context', 'tensor', 'int'],
  ggml_rope_ext: [
    'tensor',
    'context',
    'tensor',
    'tensor',
    'noTensor',
    'int',
    'int',
    'int',
    'float',
    'float',
    'float',
    'float',
    'float',
    'float',
  ],
  ggml_concat: ['tensor', 'context', 'tensor', 'tensor', 'int'],
  ggml_repeat_4d: ['tensor', 'context', 'tensor', 'int64', 'int64', 'int64', 'int64'],
  ggml_pad: ['tensor', 'context', 'tensor', 'int', 'int', 'int', 'int'],
  ggml_cpy: ['tensor', 'context', 'tensor', 'tensor'],
  ggml_cont_4d: ['tensor', 'context', 'tensor', 'int64', 'int64', 'int64', 'int64'],
  ggml_permute: ['tensor', 'context', 'tensor', 'int', 'int', 'int', 'int'],
  ggml_reshape_4d: ['tensor', 'context', 'tensor', 'int64', 'int64', 'int64', 'int64'],
  ggml_view_4d: ['tensor', 'context', 'tensor', 'int64', 'int64', 'int64', 'int64', 'size', 'size', 'size', 'size'],
  ggml_custom_4d: [
    'tensor',
    'context',
    'int',
    'int64',
    'int64',
    'int64',
    'int64',
    'tensors',
    'int',
    'address',
    'int',
    'number',
  ],
  ggml_set_output: ['none', 'tensor'],
  ggml_new_graph_custom: ['graph', 'context', 'size', 'bool'],
  ggml_build_forward_expand: ['none', 'graph', 'tensor'],

  ggml_gallocr_new: ['allocator', 'bufferType'],
  ggml_gallocr_alloc_graph: ['bool', 'allocator', 'graph'],
  ggml_gallocr_get_buffer_size: ['size', 'allocator', 'int'],
  ggml_gallocr_free: ['none', 'allocator'],

  ggml_backend_dev_description: ['text', 'device'],
  ggml_backend_dev_backend_reg: ['registry', 'device'],
  ggml_backend_reg_get_proc_address: ['address', 'registry', 'text'],
  ggml_backend_dev_init: ['backend', 'device', 'text'],
  ggml_backend_get_default_buffer_type: ['bufferType', 'backend'],
  ggml_backend_graph_compute: ['int', 'backend', 'graph'],
  ggml_backend_alloc_ctx_tensors_from_buft: ['buffer', 'context', 'bufferType'],
  ggml_backend_buft_alloc_buffer: ['buffer', 'bufferType', 'size'],
  ggml_backend_buffer_clear: ['none', 'buffer', 'byte'],
  ggml_backend_buffer_get_size: ['size', 'buffer'],
  ggml_backend_buffer_free: ['none', 'buffer'],
  ggml_backend_buffer_get_base: ['address', 'buffer'],
  ggml_backend_tensor_alloc: ['int', 'buffer', 'tensor', 'address'],
  ggml_backend_tensor_set: ['none', 'tensor', 'bytes', 'size', 'size'],
  ggml_backend_tensor_get: ['none', 'tensor', 'bytes', 'size', 'size'],
} as const satisfies Record<string, readonly [Kind, ...Kind[]]>

/** These live in the registry library, which knows the backends. */
const REGISTRY = {
  ggml_backend_load_all_from_path: ['none', 'text'],
  ggml_backend_dev_by_type: ['device', 'int'],
} as const satisfies Record<string, readonly [Kind, ...Kind[]]>

type Arguments<Rest extends readonly Kind[]> = { [Index in keyof Rest]: Value[Rest[Index]] }
type Call<Prototype> = Prototype extends readonly [infer Result extends Kind, ...infer Rest extends readonly Kind[]]
  ? ((...values: Arguments<Rest>) => Value[Result]) & {
      async(...values: [...Arguments<Rest>, (error: unknown, result: Value[Result]) => void]): void
    }
  : never
type Bound<Table> = { readonly [Name in keyof Table]: Call<Table[Name]> }
export type Symbols = Bound<typeof BASE> & Bound<typeof REGISTRY>

/** Finds every function; throws koffi's error, which names the first that is missing. */
export function bindSymbols(base: LibraryHandle, registry: LibraryHandle): Symbols {
  const bound: Record<string, unknown> = {}
  const tables: [LibraryHandle, Record<string, readonly Kind[]>][] = [
    [base, BASE],
    [registry, REGISTRY],
  ]
  for (const [library, table] of tables) {
    for (const [name, prototype] of Object.entries(table)) {
      const [result, ...rest] = prototype.map((kind) => PASSED_AS[kind])
      bound[name] = library.func(name, result ?? 'void', rest)
    }
  }
  return bound as Symbols
}

/** A function of the library as an address, to be handed to C. */
export function findSymbol(library: LibraryHandle, name: string): Address {
  return library.symbol(name)
}

/** The functions of native/*.c that are called from here; its ops are called by ggml. */
export type KernelSymbols = {
  isa(): string
  packedBytes(type: number, from: number, to: number): number
  pack(type: number, from: number, to: number, file: Uint8Array, packed: Uint8Array): number
  attends(width: number): number
  peak(rounds: number): number
  read(from: Uint8Array, bytes: number): number
}

export function bindKernel(library: LibraryHandle): KernelSymbols {
  return {
    isa: library.func('unmask_isa', 'str', []),
    packedBytes: library.func('unmask_packed_bytes', 'size_t', ['int', 'int64_t', 'int64_t']),
    pack: library.func('unmask_pack', 'int', ['int', 'int64_t', 'int64_t', 'void *', 'void *']),
    attends: library.func('unmask_attends', 'int', ['int64_t']),
    peak: library.func('unmask_peak', 'int64_t', ['int64_t']),
    read: library.func('unmask_read', 'int64_t', ['void *', 'int64_t']),
  }
}

const SetThreads = koffi.proto('void', ['void *', 'int'])

/** Calls a `void (backend, int)` that was found by name at run time. */
export function callSetThreads(setThreads: Address, backend: Backend, threads: number): void {
  koffi.call(setThreads, SetThreads, backend, threads)
}

/** Memory of C as bytes, without a copy: it is gone when its owner frees it, and nothing warns of that. */
export function viewMemory(address: Address, bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(koffi.view(address, bytes))
}

/** An array of C with these tensors: for calls that take several. */
export function listTensors(tensors: readonly Tensor[]): BigUint64Array {
  // A handle is a bigint while it is in this room.
  return BigUint64Array.from(tensors, (tensor) => tensor as unknown as bigint)
}

/** An address `bytes` further on. */
export function offsetAddress(address: Address, bytes: number): Address {
  // An address is a bigint while it is in this room.
  return ((address as unknown as bigint) + BigInt(bytes)) as unknown as Address
}
