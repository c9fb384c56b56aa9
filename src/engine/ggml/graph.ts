import { ELEMENT_TYPES, type ElementType } from './element-types.ts'
import type { Address, Context, GraphHandle, Tensor } from './handles.ts'
import { listTensors, type Symbols } from './symbols.ts'

export type Input = { tensor: Tensor; bytes: Uint8Array | undefined }

type View = {
  /** Elements: row length, rows, planes. */
  shape: readonly [number, number, number]
  /** Bytes from one row, and from one plane, to the next. */
  strides: readonly [number, number]
  /** Bytes. */
  offset: number
}

/** An op that ggml calls from all its threads: `void (tensor, thread, threads, number)`. */
type CustomOp = {
  call: Address
  /** Handed to it with every call. */
  number: number
  sources: readonly Tensor[]
  type: ElementType
  shape: readonly [number, number, number]
}

/** As many threads as the computation has. */
const ALL_THREADS = -1

/**
 * One computation, built op by op and run once by `Workspace`. Shapes are ggml's: row length first. A wrong shape
 * aborts the process, so callers check what comes from outside before they build.
 */
export class Graph {
  readonly inputs: Input[] = []
  private readonly c: Symbols
  private readonly context: Context
  private readonly handle: GraphHandle

  constructor(symbols: Symbols, context: Context, handle: GraphHandle) {
    this.c = symbols
    this.context = context
    this.handle = handle
  }

  /** A tensor that is filled from `data` before the run. */
  input(type: ElementType, shape: readonly number[], data: ArrayBufferView): Tensor {
    const tensor = this.create(type, shape)
    this.inputs.push({ tensor, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) })
    return tensor
  }

  /** Memory of its own that ops of this graph write before they read: it begins undefined. */
  scratch(type: ElementType, shape: readonly number[]): Tensor {
    const tensor = this.create(type, shape)
    this.inputs.push({ tensor, bytes: undefined })
    return tensor
  }

  private create(type: ElementType, shape: readonly number[]): Tensor {
    const [a = 1, b = 1, c = 1, d = 1] = shape
    return this.c.ggml_new_tensor_4d(this.context, ELEMENT_TYPES[type], a, b, c, d)
  }

  /** Puts the tensor, and all it needs, next in the order of computing. */
  expand(tensor: Tensor): void {
    this.c.ggml_build_forward_expand(this.handle, tensor)
  }

  /** Like `expand`; its memory keeps the result until it is read. */
  output(tensor: Tensor): Tensor {
    this.c.ggml_set_output(tensor)
    this.expand(tensor)
    return tensor
  }

  /** [width, n] from rows of a [width, rows] at I32 indices [n]; F32 whatever the type of a. */
  rows(a: Tensor, indices: Tensor): Tensor {
    return this.c.ggml_get_rows(this.context, a, indices)
  }

  /** Writes rows [width, n] of F32 into a at indices [n] (I32 or I64). Returns a, written. */
  writeRows(a: Tensor, rows: Tensor, indices: Tensor): Tensor {
    return this.c.ggml_set_rows(this.context, a, rows, indices)
  }

  /** [m, n] = weights [k, m] · x [k, n], for each plane. */
  product(weights: Tensor, x: Tensor): Tensor {
    return this.c.ggml_mul_mat(this.context, weights, x)
  }

  /** [m, used, n]: x [k, 1 or used, n] by the matrices of weights [k, m, count] that ids [used, n] name. */
  productOf(weights: Tensor, x: Tensor, ids: Tensor): Tensor {
    return this.c.ggml_mul_mat_id(this.context, weights, x, ids)
  }

  custom({ call, number, sources, type, shape }: CustomOp): Tensor {
    const tensors = listTensors(sources)
    const element = ELEMENT_TYPES[type]
    const { length } = sources
    return this.c.ggml_custom_4d(this.context, element, ...shape, 1, tensors, length, call, ALL_THREADS, number)
  }

  add(a: Tensor, b: Tensor): Tensor {
    return this.c.ggml_add(this.context, a, b)
  }

  /** a + b in a's memory; b repeats over what a has more. */
  addInto(a: Tensor, b: Tensor): Tensor {
    return this.c.ggml_add_inplace(this.context, a, b)
  }

  /** Adds b [width, n] to the rows of a [width, rows] from `row` on, in a's memory; both F32 and contiguous. */
  addToRows(a: Tensor, b: Tensor, place: { width: number; row: number }): Tensor {
    const stride = place.width * 4
    return this.c.ggml_acc_inplace(this.context, a, b, stride, stride, stride, stride * place.row)
  }

  multiply(a: Tensor, b: Tensor): Tensor {
    return this.c.ggml_mul(this.context, a, b)
  }

  divide(a: Tensor, b: Tensor): Tensor {
    return this.c.ggml_div(this.context, a, b)
  }

  scale(a: Tensor, factor: number): Tensor {
    return this.c.ggml_scale(this.context, a, factor)
  }

  sumRows(a: Tensor): Tensor {
    return this.c.ggml_sum_rows(this.context, a)
  }

  /** x / √(mean(x²) + ε) for each row. */
  rmsNorm(a: Tensor, epsilon: number): Tensor {
    return this.c.ggml_rms_norm(this.context, a, epsilon)
  }

  /** silu(first half of each row) · second half. */
  swiglu(gateUp: Tensor): Tensor {
    return this.c.ggml_swiglu(this.context, gateUp)
  }

  swigluOf(gate: Tensor, up: Tensor): Tensor {
    return this.c.ggml_swiglu_split(this.context, gate, up)
  }

  /** soft_max(a · scale + mask) for each row; mask [width, rows] in F32, the same for every plane. */
  softMax(a: Tensor, mask: Tensor | null, scale: number): Tensor {
    return this.c.ggml_soft_max_ext(this.context, a, mask, scale, 0)
  }

  /** I32 [k, rows]: the places of the k largest of each row, in no order. */
  topK(a: Tensor, k: number): Tensor {
    return this.c.ggml_top_k(this.context, a, k)
  }

  /** Rotates a [headWidth, heads, rows] by I32 positions [rows]. */
  rope(
    a: Tensor,
    positions: Tensor,
    rope: { dimensions: number; style: 'neighbours' | 'halves'; theta: number },
  ): Tensor {
    const mode = rope.style === 'halves' ? 2 : 0
    const { dimensions, theta } = rope
    return this.c.ggml_rope_ext(this.context, a, positions, null, dimensions, mode, 0, theta, 1, 0, 1, 0, 0)
  }

  /** Joined along dimension 0 to 3. */
  join(a: Tensor, b: Tensor, dimension: number): Tensor {
    return this.c.ggml_concat(this.context, a, b, dimension)
  }

  repeat(a: Tensor, shape: readonly [number, number, number]): Tensor {
    return this.c.ggml_repeat_4d(this.context, a, ...shape, 1)
  }

  /** Each row with `count` zeros behind it. */
  fillRows(a: Tensor, count: number): Tensor {
    return this.c.ggml_pad(this.context, a, count, 0, 0, 0)
  }

  copy(from: Tensor, to: Tensor): Tensor {
    return this.c.ggml_cpy(this.context, from, to)
  }

  /** The same elements in order, without gaps, in a shape of as many. */
  contiguous(a: Tensor, shape: readonly [number, number, number]): Tensor {
    return this.c.ggml_cont_4d(this.context, a, ...shape, 1)
  }

  /** Rows and planes change places. */
  swapRowsAndPlanes(a: Tensor): Tensor {
    return this.c.ggml_permute(this.context, a, 0, 2, 1, 3)
  }

  reshape(a: Tensor, shape: readonly [number, number, number]): Tensor {
    return this.c.ggml_reshape_4d(this.context, a, ...shape, 1)
  }

  view(a: Tensor, { shape, strides, offset }: View): Tensor {
    const [row, plane] = strides
    return this.c.ggml_view_4d(this.context, a, ...shape, 1, row, plane, plane * shape[2], offset)
  }
}
