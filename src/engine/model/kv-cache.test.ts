import { deepEqual, equal, throws } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { testedKernel } from '../../../test/support/kernel.ts'
import { openRandomModel } from '../../../test/support/tiny-models.ts'
import { loadGgml } from '../ggml/load.ts'
import type { Lease } from './forward.ts'
import { viewMemory } from '../ggml/symbols.ts'
import { openForward, type GgmlForward } from './ggml-forward.ts'
import { KvCache } from './kv-cache.ts'

const kernels = new Set([undefined, await testedKernel()])
const file = await openRandomModel('tiny-causal')

function makeCache(cells: number): KvCache {
  const cache = new KvCache(loadGgml(), file.spec, { cells, type: 'BF16', order: 'whole' })
  after(() => cache.dispose())
  return cache
}

describe('leases', () => {
  test('begin and end on steps of 32 cells, never overlap, and give all back', () => {
    const cache = makeCache(1024)
    const steps = fc.array(fc.record({ cells: fc.integer({ min: 1, max: 300 }), keep: fc.boolean() }), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(steps, (wishes) => {
        const held = new Map<Lease, number>()
        for (const { cells, keep } of wishes) {
          const lease = cache.lease(cells)
          const oldest = held.keys().next().value
          if (lease === undefined || !keep) {
            if (oldest !== undefined) cache.release(oldest)
            if (oldest !== undefined) held.delete(oldest)
          }
          if (lease === undefined) continue
          equal(lease.cells % 32 === 0 && lease.cells >= cells && lease.cells < cells + 32, true)
          const start = cache.startOf(lease)
          equal(start % 32, 0)
          for (const [other, at] of held) equal(start >= at + other.cells || at >= start + lease.cells, true)
          held.set(lease, start)
        }
        for (const lease of held.keys()) cache.release(lease)
        equal(cache.cellsFree, 1024)
      }),
    )
  })

  test('take the first run that is long enough, or none', () => {
    const cache = makeCache(128)
    const [first, second] = [cache.lease(32), cache.lease(64)]
    if (first === undefined || second === undefined) throw new Error('two leases fit')
    equal(cache.lease(64), undefined)
    cache.release(first)
    const third = cache.lease(10)
    equal(third === undefined ? undefined : cache.startOf(third), 0)
    throws(() => cache.release(first), /not held/)
  })

  test('are told beforehand whether giving others back would make room', () => {
    const cache = makeCache(128)
    const [first, second, third] = [cache.lease(32), cache.lease(32), cache.lease(32)]
    if (first === undefined || second === undefined || third === undefined) throw new Error('three leases fit')
    deepEqual([cache.fits(32, []), cache.fits(33, [])], [true, false])
    // As many cells, but not side by side.
    deepEqual([cache.fits(64, [first]), cache.fits(64, [third])], [false, true])
    deepEqual([cache.fits(128, [first, second, third]), cache.fits(129, [first, second, third])], [true, false])
    equal(cache.cellsFree, 32)
  })
})

/** Memory as other programs may leave it: all bits set are no number in any type. */
function poison({ layers }: KvCache): void {
  const { ggml_get_data: dataOf, ggml_nbytes: bytesOf } = loadGgml().symbols
  for (const tensor of layers.flatMap(({ byCell, byFeature }) => [byCell, byFeature])) {
    const address = dataOf(tensor)
    if (address !== null) viewMemory(address, bytesOf(tensor)).fill(0xff)
  }
}

for (const kernel of kernels) {
  const way = kernel === undefined ? 'ggml' : 'the kernel'
  test(`what stood in the memory before changes nothing, by ${way}`, async () => {
    const options = { kernel, precision: 'file', cacheType: 'bf16', cells: 256, threads: 1, keepLogits: true } as const
    const compute = async (dirty: boolean): Promise<unknown[]> => {
      const forward: GgmlForward = await openForward(file, options)
      after(() => forward.close())
      if (dirty) poison((forward as unknown as { cache: KvCache }).cache)
      const [one, two] = [forward.lease(150), forward.lease(40)]
      if (one === undefined || two === undefined) throw new Error('two leases fit')
      const span = (tokens: number[], position: number) => {
        const wanted = tokens.map(() => true)
        return { tokens, position, writeAt: position, sees: 'causal', adapted: false, wanted } as const
      }
      const first = await forward.compute([{ lease: one, spans: [span([1, 2, 3, 4, 5], 0)] }])
      forward.copy(one, two, 5)
      const copied = await forward.compute([{ lease: two, spans: [span([6, 7], 5)] }])
      const long = Array.from({ length: 60 }, (_, i) => 1 + (i % 9))
      return [first, copied, await forward.compute([{ lease: one, spans: [span(long, 5)] }])]
    }
    deepEqual(await compute(true), await compute(false))
  })
}

for (const kernel of kernels) {
  const way = kernel === undefined ? 'ggml' : 'the kernel'
  test(`a copied beginning goes on with the very bits of the one it was copied from, by ${way}`, async () => {
    const forward = await openForward(file, {
      kernel,
      precision: 'file',
      cacheType: 'bf16',
      cells: 256,
      threads: 1,
      keepLogits: true,
    })
    after(() => forward.close())
    const [one, two] = [forward.lease(64), forward.lease(96)]
    if (one === undefined || two === undefined) throw new Error('two leases fit')
    const step = (lease: Lease, tokens: number[], position: number) =>
      forward.compute([
        {
          lease,
          spans: [
            { tokens, position, writeAt: position, sees: 'causal', adapted: false, wanted: tokens.map(() => true) },
          ],
        },
      ])
    await step(one, [5, 6, 7, 8, 9, 10, 11], 0)
    forward.copy(one, two, 6)
    deepEqual(await step(two, [11, 12], 6), await step(one, [11, 12], 6))
  })
}
