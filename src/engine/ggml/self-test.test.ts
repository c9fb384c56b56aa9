import { deepEqual, equal, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { GGML_TYPES } from '../weights/types.ts'
import { loadGgml } from './load.ts'
import { selfTest } from './self-test.ts'
import { Workspace } from './workspace.ts'

test('every op gives what plain arithmetic gives, and from few columns on they do not depend on their neighbours', async () => {
  const { columnsMin } = await selfTest(loadGgml())
  equal(columnsMin === 2 || columnsMin === 4 || columnsMin === 8, true)
})

test('a wrong result is refused with the name of the op', async () => {
  const ggml = loadGgml()
  const wrong = { ...ggml.symbols, ggml_add: ggml.symbols.ggml_mul }
  await rejects(selfTest({ ...ggml, symbols: wrong }), /computes add wrongly/)
})

test('products of every type that a file may have are among them', async () => {
  const ggml = loadGgml()
  const types = new Set<unknown>()
  const make = ggml.symbols.ggml_new_tensor_4d
  const ggml_new_tensor_4d = new Proxy(make, {
    apply(_target, _self, given: Parameters<typeof make>) {
      types.add(given[1])
      return make(...given)
    },
  })
  await selfTest({ ...ggml, symbols: { ...ggml.symbols, ggml_new_tensor_4d } })
  deepEqual(
    Object.values(GGML_TYPES).filter(({ id }) => !types.has(id)),
    [],
  )
})

test('the event loop runs while a graph is computed, and graphs wait for one another', async () => {
  const workspace = new Workspace(loadGgml())
  const size = 1024
  const order: string[] = []
  const run = (name: string) =>
    workspace
      .run({
        nodesMax: 64,
        threads: 1,
        build: (graph) => {
          order.push(`${name} begins`)
          let x = graph.input('F32', [size, size], new Float32Array(size * size).fill(1 / size))
          for (let i = 0; i < 4; i++) x = graph.product(x, x)
          return [graph.sumRows(x)]
        },
      })
      .then((results) => {
        order.push(`${name} ends`)
        return results
      })
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const [[first], [second]] = await Promise.all([run('one'), run('two')])
  clearInterval(timer)
  equal(turns > 2, true)
  deepEqual(order, ['one begins', 'one ends', 'two begins', 'two ends'])
  deepEqual(first, second)
  workspace.dispose()
})
