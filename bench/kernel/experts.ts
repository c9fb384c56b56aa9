import type { Graph } from '../../src/engine/ggml/graph.ts'
import type { Tensor } from '../../src/engine/ggml/handles.ts'
import type { Kernel } from '../../src/engine/ggml/kernel.ts'
import { loadGgml } from '../../src/engine/ggml/load.ts'
import { multiplyChosen, quantise } from '../../src/engine/ggml/packed-product.ts'
import { Workspace } from '../../src/engine/ggml/workspace.ts'
import { loadWeights, type LoadedWeights } from '../../src/engine/model/load-weights.ts'
import type { Matrix } from '../../src/engine/model/linear.ts'
import { ModelFile } from '../../src/engine/weights/model-file.ts'
import { readClock } from '../forward/clock.ts'
import { median } from '../figures.ts'

const ROWS = [1, 6, 16, 32]
const ROUNDS = 15

export type ExpertRow = { rows: number; ms: number; ggmlMs: number; ratio: number }
type Chosen = { ids: Tensor; used: number; rows: number }

/**
 * All experts' products of one forward of a model, in all its layers: rows are grouped by expert, as in a step. Which experts a row
 * takes is drawn evenly, the hardest case: as many matrices as can be are read. The graph is built before.
 */
export async function measureExperts(kernel: Kernel, path: string): Promise<ExpertRow[]> {
  const file = await ModelFile.open(path)
  const { router, width, layers } = file.spec
  if (router === undefined) throw new Error(`${path} has no experts`)
  const ours = await loadWeights(loadGgml(), file, { precision: 'file', kernel })
  const theirs = await loadWeights(loadGgml(), file, { precision: 'file', kernel: undefined })
  const workspace = new Workspace(loadGgml())
  const measure = async (weights: LoadedWeights, rows: number): Promise<number> => {
    const start = readClock(1)
    await workspace.runWith({
      key: `${weights === ours ? 'ours' : 'theirs'}, ${rows}`,
      nodesMax: 32 * layers + 16,
      threads: 1,
      inputs: {},
      build: (graph) => {
        const { used, experts } = router
        const ids = Int32Array.from({ length: used * rows }, (_, i) => (Math.imul(i, 2_654_435_761) >>> 7) % experts)
        const chosen = { ids: graph.input('I32', [used, rows], ids), used, rows }
        const input = wave(graph, width, rows)
        const hidden = wave(graph, router.width, used * rows)
        for (const layer of weights.layers) {
          if (layer.experts === undefined) continue
          const { gate, up, down } = layer.experts
          multiplyAll(graph, [gate, up], { x: input, from: width, each: 1 }, chosen)
          multiplyAll(graph, [down], { x: hidden, from: router.width, each: used }, chosen)
        }
        return { outputs: [], made: undefined }
      },
    })
    return readClock(1) - start
  }
  const measured: ExpertRow[] = []
  for (const rows of ROWS) {
    const rounds: [number, number][] = []
    for (let round = -1; round < ROUNDS; round++) {
      const pair: [number, number] = [await measure(ours, rows), await measure(theirs, rows)]
      if (round >= 0) rounds.push(pair)
    }
    measured.push({
      rows,
      ms: median(rounds.map(([own]) => own)),
      ggmlMs: median(rounds.map(([, other]) => other)),
      ratio: median(rounds.map(([own, other]) => other / own)),
    })
  }
  workspace.dispose()
  ours.release()
  theirs.release()
  await file.close()
  return measured
}

type Columns = { x: Tensor; from: number; each: number }

function multiplyAll(graph: Graph, matrices: readonly Matrix[], { x, from, each }: Columns, chosen: Chosen): void {
  const columns = each * chosen.rows
  const [first] = matrices
  const rounded = first?.packed && quantise(graph, first.packed.kernel, x, { from, columns })
  const planes = graph.reshape(x, [from, each, chosen.rows])
  for (const matrix of matrices) {
    if (matrix.packed === undefined) graph.expand(graph.productOf(matrix.weights, planes, chosen.ids))
    else if (rounded !== undefined) graph.expand(multiplyChosen(graph, matrix.packed, rounded, chosen))
  }
}

function wave(graph: Graph, from: number, rows: number): Tensor {
  const numbers = Float32Array.from({ length: from * rows }, (_, i) => Math.sin(i))
  return graph.input('F32', [from, rows], numbers)
}
