import { deepEqual, equal, notEqual, ok, rejects, throws } from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { promptSteps, runAlone, runTogether, windowStep, type Script } from '../../../test/support/forward-scripts.ts'
import { testedKernel } from '../../../test/support/kernel.ts'
import { openRandomModel } from '../../../test/support/tiny-models.ts'
import { openForward, type ForwardOptions } from './ggml-forward.ts'

const OPTIONS: ForwardOptions = { precision: 'file', cacheType: 'bf16', cells: 4096, threads: 1, keepLogits: true }
const file = await openRandomModel('tiny-causal')
const forward = await openForward(file, OPTIONS)
const kernel = await testedKernel()
const byKernel = kernel === undefined ? undefined : await openForward(file, { ...OPTIONS, kernel })
after(() => forward.close())
after(() => byKernel?.close())
const { maskToken } = file.spec
const ways = {
  'by ggml': { forward, kernel: undefined },
  ...(byKernel && { 'by the kernel': { forward: byKernel, kernel } }),
}

for (const [way, { forward }] of Object.entries(ways))
  describe(`candidates ${way}`, () => {
    test('are at most 64, likeliest first, none of them banned, and sum up to no more than one', async () => {
      const [rows = []] = await runAlone(forward, promptSteps([7, 8, 9], []))
      for (const { ids, probabilities } of rows) {
        equal(ids.length, 64)
        deepEqual(
          probabilities,
          probabilities.toSorted((a, b) => b - a),
        )
        ok(probabilities.reduce((sum, value) => sum + value, 0) <= 1 + 1e-6)
        for (const token of file.spec.bannedTokens) ok(!ids.includes(token))
        for (const token of file.spec.endTokens) ok(!file.spec.bannedTokens.includes(token))
      }
    })

    test('are the soft_max of the logits, and banned tokens have none', async () => {
      const [[row] = []] = await runAlone(forward, promptSteps([7], []))
      const logits = row?.logits ?? new Float32Array()
      equal(logits.length, file.spec.vocabulary)
      for (const token of file.spec.bannedTokens) equal(logits[token], -Infinity)
      const sum = logits.reduce((total, logit) => total + Math.exp(logit), 0)
      for (const [i, id] of (row?.ids ?? []).entries()) {
        ok(Math.abs(Math.exp(logits[id] ?? 0) / sum - (row?.probabilities[i] ?? 0)) < 1e-6)
      }
    })

    test('come for wanted rows only', async () => {
      const [span] = windowStep(0, [5, 6, 7], [])
      if (span === undefined) throw new Error('a step has a span')
      const all = await runAlone(forward, [[span]])
      const some = await runAlone(forward, [[{ ...span, wanted: [false, false, true] }]])
      const none = await runAlone(forward, [[{ ...span, wanted: [false, false, false] }]])
      deepEqual(some, [[all[0]?.[2]]])
      deepEqual(none, [[]])
    })
  })

test('window adapters and the learnt mask vector act on adapted rows only', async () => {
  const plain = windowStep(0, [5, 6], [6, maskToken, 9])
  for (const span of plain) span.adapted = false
  const [adapted = []] = await runAlone(forward, [windowStep(0, [5, 6], [6, maskToken, 9])])
  const [bare = []] = await runAlone(forward, [plain])
  deepEqual(adapted.slice(0, 2), bare.slice(0, 2))
  for (let row = 2; row < 5; row++) notEqual(adapted[row]?.logits?.join(), bare[row]?.logits?.join())
})

test('a graph that was kept computes what a new one does, whatever was computed between', async () => {
  if (byKernel === undefined) return
  // More shapes than graphs are kept.
  const scripts: Script[] = Array.from({ length: 24 }, (_, i) => [
    windowStep(0, promptOf(1 + (i % 8)), i < 8 ? [] : [9, maskToken, ...promptOf(i % 3)]),
  ])
  const first = []
  for (const script of scripts) first.push(await runAlone(byKernel, script))
  for (const [i, script] of scripts.entries()) deepEqual(await runAlone(byKernel, script), first[i])
})

function promptOf(length: number): number[] {
  return Array.from({ length }, (_, i) => 4 + i)
}

test('64 works at once are what each is alone', async () => {
  const scripts: Script[] = Array.from({ length: 64 }, (_, i) => [windowStep(0, [i + 4, 9], [9, maskToken])])
  const alone = []
  for (const script of scripts) alone.push(await runAlone(forward, script))
  deepEqual(await runTogether(forward, scripts, []), alone)
})

test('two calls at the same time are computed one after the other', async () => {
  const scripts = [promptSteps([5, 6, 7], []), promptSteps([8, 9], [])]
  const alone = []
  for (const script of scripts) alone.push(await runAlone(forward, script))
  deepEqual(await Promise.all(scripts.map((script) => runAlone(forward, script))), alone)
})

for (const [way, { kernel }] of Object.entries(ways))
  test(`a computation ${way} without numbers is told, and what it left is wiped before others come`, async () => {
    const spoilt = await openRandomModel('tiny-causal')
    const handle = await open(spoilt.path, 'r+')
    await handle.write(
      new Uint8Array(new Float32Array([Number.NaN]).buffer),
      0,
      4,
      spoilt.get('mask_embd.weight').offset,
    )
    await handle.close()
    const broken = await openForward(spoilt, { ...OPTIONS, cells: 32, kernel })
    after(() => broken.close())
    const good = windowStep(0, [5, 6, 7], [7, 4])
    const before = await runAlone(broken, [good])
    const lease = broken.lease(32)
    if (lease === undefined) throw new Error('one lease fits')
    await rejects(broken.compute([{ lease, spans: windowStep(0, [5], [5, maskToken]) }]), /no number/)
    broken.release(lease)
    deepEqual(await runAlone(broken, [good]), before)
  })

test('a closed forward computes nothing more', async () => {
  const other = await openForward(file, { ...OPTIONS, cells: 32 })
  const lease = other.lease(32)
  if (lease === undefined) throw new Error('one lease fits')
  const running = other.compute([{ lease, spans: windowStep(0, [5], []) }])
  throws(() => other.close(), /have ended/)
  await running
  other.close()
  other.close()
  await rejects(other.compute([{ lease, spans: windowStep(0, [5], []) }]), /closed/)
})
