/** What each op must give, in plain arithmetic on a few numbers. */
import type { Graph } from './graph.ts'
import type { Tensor } from './handles.ts'

export type Check = {
  name: string
  integers?: true
  build: (graph: Graph) => { tensor: Tensor; expected: readonly number[] }
}

const [WIDTH, ROWS] = [4, 3]
/** [4, 3]: three rows of four. */
const A = [0.5, -1.25, 2, 0.75, -0.5, 1.5, 0.25, -2, 1, 3, -0.125, 0.625]
const B = [1.5, 0.25, -0.75, 2, 0.5, -1, 1.25, 0.375, -2, 0.875, 1.125, -0.25]
const row = (i: number) => A.slice(i * WIDTH, (i + 1) * WIDTH)
const each = (f: (row: number[]) => number[]) => [0, 1, 2].flatMap((i) => f(row(i)))

const floats = (values: readonly number[]) => Float32Array.from(values)
const a = (graph: Graph) => graph.input('F32', [WIDTH, ROWS], floats(A))
const b = (graph: Graph) => graph.input('F32', [WIDTH, ROWS], floats(B))
const index = (graph: Graph, values: readonly number[]) => graph.input('I32', [values.length], Int32Array.from(values))
const silu = (x: number) => x / (1 + Math.exp(-x))
const softMax = (values: readonly number[]) => {
  const sum = values.reduce((total, value) => total + Math.exp(value), 0)
  return values.map((value) => Math.exp(value) / sum)
}
const pairs = (f: (a: number, b: number) => number) => A.map((value, i) => f(value, B[i] ?? 0))

const ROTATIONS = [0, 7, 300]
/** Pairs (first, second) of a head of four turned by position · θ^(−2i/4). */
function rotated(places: readonly [number, number][]): number[] {
  return ROTATIONS.flatMap((position, i) => {
    const out = row(i)
    for (const [pair, [one, two]] of places.entries()) {
      const angle = position * 10_000 ** (-pair / 2)
      const [x, y] = [row(i)[one] ?? 0, row(i)[two] ?? 0]
      out[one] = x * Math.cos(angle) - y * Math.sin(angle)
      out[two] = x * Math.sin(angle) + y * Math.cos(angle)
    }
    return out
  })
}

function rope(graph: Graph, style: 'neighbours' | 'halves'): Tensor {
  const heads = graph.reshape(a(graph), [WIDTH, 1, ROWS])
  return graph.rope(heads, index(graph, ROTATIONS), { dimensions: WIDTH, style, theta: 10_000 })
}

export const CHECKS: readonly Check[] = [
  {
    name: 'rows',
    build: (graph) => ({
      tensor: graph.rows(a(graph), index(graph, [2, 0])),
      expected: [...row(2), ...row(0)],
    }),
  },
  {
    name: 'writing rows',
    build: (graph) => ({
      tensor: graph.writeRows(a(graph), graph.input('F32', [WIDTH, 1], floats(B.slice(0, 4))), index(graph, [1])),
      expected: [...row(0), ...B.slice(0, 4), ...row(2)],
    }),
  },
  { name: 'add', build: (graph) => ({ tensor: graph.add(a(graph), b(graph)), expected: pairs((x, y) => x + y) }) },
  {
    name: 'adding one row to all',
    build: (graph) => ({
      tensor: graph.addInto(graph.scale(a(graph), 1), graph.input('F32', [WIDTH], floats(row(1)))),
      expected: each((own) => own.map((value, i) => value + (row(1)[i] ?? 0))),
    }),
  },
  {
    name: 'adding to some rows',
    build: (graph) => ({
      tensor: graph.addToRows(graph.scale(a(graph), 1), graph.input('F32', [WIDTH, 2], floats(B.slice(0, 8))), {
        width: WIDTH,
        row: 1,
      }),
      expected: A.map((value, i) => value + (i < WIDTH ? 0 : (B[i - WIDTH] ?? 0))),
    }),
  },
  {
    name: 'multiply',
    build: (graph) => ({ tensor: graph.multiply(a(graph), b(graph)), expected: pairs((x, y) => x * y) }),
  },
  {
    name: 'divide',
    build: (graph) => ({ tensor: graph.divide(a(graph), b(graph)), expected: pairs((x, y) => x / y) }),
  },
  { name: 'scale', build: (graph) => ({ tensor: graph.scale(a(graph), -3), expected: A.map((x) => x * -3) }) },
  {
    name: 'sums of rows',
    build: (graph) => ({
      tensor: graph.sumRows(a(graph)),
      expected: each((own) => [own.reduce((sum, x) => sum + x, 0)]),
    }),
  },
  {
    name: 'RMS norm',
    build: (graph) => ({
      tensor: graph.rmsNorm(a(graph), 1e-5),
      expected: each((own) => {
        const scale = 1 / Math.sqrt(own.reduce((sum, x) => sum + x * x, 0) / WIDTH + 1e-5)
        return own.map((x) => x * scale)
      }),
    }),
  },
  {
    name: 'SwiGLU',
    build: (graph) => ({
      tensor: graph.swiglu(a(graph)),
      expected: each(([g = 0, h = 0, u = 0, v = 0]) => [silu(g) * u, silu(h) * v]),
    }),
  },
  {
    name: 'SwiGLU of two',
    build: (graph) => ({ tensor: graph.swigluOf(a(graph), b(graph)), expected: pairs((x, y) => silu(x) * y) }),
  },
  {
    name: 'soft_max with a mask',
    build: (graph) => ({
      tensor: graph.softMax(
        a(graph),
        graph.input('F32', [WIDTH, ROWS], floats(A.map((_, i) => (i % 4 === 1 ? -Infinity : 0)))),
        0.5,
      ),
      expected: each((own) => softMax(own.map((x, i) => (i === 1 ? -Infinity : x / 2)))),
    }),
  },
  {
    name: 'top k',
    integers: true,
    build: (graph) => ({ tensor: graph.topK(a(graph), 1), expected: [2, 1, 1] }),
  },
  {
    name: 'rotation of neighbours',
    build: (graph) => ({
      tensor: rope(graph, 'neighbours'),
      expected: rotated([
        [0, 1],
        [2, 3],
      ]),
    }),
  },
  {
    name: 'rotation of halves',
    build: (graph) => ({
      tensor: rope(graph, 'halves'),
      expected: rotated([
        [0, 2],
        [1, 3],
      ]),
    }),
  },
  {
    name: 'joining',
    build: (graph) => ({
      tensor: graph.join(a(graph), b(graph), 0),
      expected: [0, 1, 2].flatMap((i) => row(i).concat(B.slice(i * WIDTH, (i + 1) * WIDTH))),
    }),
  },
  {
    name: 'repeating',
    build: (graph) => ({
      tensor: graph.repeat(graph.input('F32', [WIDTH], floats(row(1))), [WIDTH, 2, 1]),
      expected: [...row(1), ...row(1)],
    }),
  },
  {
    name: 'filling rows',
    build: (graph) => ({ tensor: graph.fillRows(a(graph), 2), expected: each((own) => [...own, 0, 0]) }),
  },
  {
    name: 'copying into a part',
    build: (graph) => {
      const whole = graph.scale(a(graph), 1)
      const part = graph.view(whole, { shape: [2, ROWS, 1], strides: [16, 48], offset: 8 })
      const other = graph.view(b(graph), { shape: [2, ROWS, 1], strides: [16, 48], offset: 0 })
      graph.expand(graph.copy(other, part))
      return {
        tensor: graph.contiguous(whole, [WIDTH, ROWS, 1]),
        expected: [0, 1, 2].flatMap((i) =>
          row(i)
            .slice(0, 2)
            .concat(B.slice(i * WIDTH, i * WIDTH + 2)),
        ),
      }
    },
  },
  {
    name: 'swapping rows and planes',
    build: (graph) => {
      const heads = graph.reshape(a(graph), [2, 2, ROWS])
      const expected = [0, 1].flatMap((head) => [0, 1, 2].flatMap((i) => row(i).slice(head * 2, head * 2 + 2)))
      return { tensor: graph.contiguous(graph.swapRowsAndPlanes(heads), [2, ROWS, 2]), expected }
    },
  },
  {
    name: 'products by chosen matrices',
    build: (graph) => {
      // Three matrices [4, 1]: the rows of b. Row i of a by the matrices 2 − i and i.
      const matrices = graph.reshape(b(graph), [WIDTH, 1, ROWS])
      const ids = graph.input('I32', [2, ROWS], Int32Array.from([2, 0, 1, 1, 0, 2]))
      const x = graph.reshape(a(graph), [WIDTH, 1, ROWS])
      const dot = (i: number, j: number) => row(i).reduce((sum, value, k) => sum + value * (B[j * WIDTH + k] ?? 0), 0)
      return {
        tensor: graph.productOf(matrices, x, ids),
        expected: [dot(0, 2), dot(0, 0), dot(1, 1), dot(1, 1), dot(2, 0), dot(2, 2)],
      }
    },
  },
]
