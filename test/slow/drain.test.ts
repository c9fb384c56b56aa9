/** SIGTERM under load with the bundled pair: replies that run may end, and the whole is over within 10 s. */
import { equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { childrenOf, isRunning } from '../support/processes.ts'
import { startProduct, type Product } from '../support/product.ts'

type Chunk = { choices: { delta: { content: string }; finish_reason: string | null }[]; error?: { type: string } }

function story(tokensMax: number): object {
  return {
    model: 'Model',
    max_tokens: tokensMax,
    seed: 3,
    messages: [{ role: 'user', content: 'Tell me a long story.' }],
  }
}

/** Starts a stream and resolves at its first text with what will have been seen at its end. */
async function begin(product: Product, tokensMax: number): Promise<{ seen: string[]; ended: Promise<unknown> }> {
  const seen: string[] = []
  const first = Promise.withResolvers<void>()
  const ended = product.stream(story(tokensMax), (data) => {
    seen.push(data)
    if (seen.length === 3) first.resolve()
  })
  await Promise.race([first.promise, ended])
  // A connection that is cut is an end too; what was seen until then is looked at.
  return { seen, ended: ended.catch(() => undefined) }
}

describe('SIGTERM', () => {
  test('lets running replies end whole, takes no new ones, and ends well', async () => {
    const product = await startProduct()
    const [engine = 0] = childrenOf(product.ready.pid, 'engine')
    const replies = await Promise.all([1, 2, 3, 4].map(() => begin(product, 24)))
    const startedAt = performance.now()
    const exited = once(product.child, 'exit')
    product.child.kill('SIGTERM')
    while (existsSync(join(product.folder, 'ready.json'))) await new Promise((resolve) => setTimeout(resolve, 5))
    const late = await product.ask('/v1/models').then(
      (answer) => answer.status,
      () => 'refused',
    )
    ok(late === 'refused' || late === 503, `a new call after SIGTERM: ${late}`)
    for (const { ended } of replies) await ended
    for (const { seen } of replies) equal(seen.at(-1), '[DONE]')
    equal((await exited)[0], 0)
    ok(performance.now() - startedAt < 10_000)
    ok(!isRunning(engine))
    await product.stop()
  })

  test('cuts replies that would take longer, honestly, and is over within 10 s', async () => {
    const product = await startProduct()
    const replies = await Promise.all([1, 2, 3, 4].map(() => begin(product, 2000)))
    const startedAt = performance.now()
    equal(await product.stop(), 0)
    const tookMs = performance.now() - startedAt
    ok(tookMs < 10_000, `${tookMs} ms`)
    for (const { seen, ended } of replies) {
      await ended
      const last = seen.at(-1) ?? ''
      const whole = last === '[DONE]'
      ok(whole || (JSON.parse(last) as Chunk).error?.type === 'server_error', `the last event is ${last}`)
    }
  })

  test('a second one ends at once', async () => {
    const product = await startProduct()
    const [engine = 0] = childrenOf(product.ready.pid, 'engine')
    const reply = await begin(product, 2000)
    const exited = once(product.child, 'exit')
    product.child.kill('SIGTERM')
    while (existsSync(join(product.folder, 'ready.json'))) await new Promise((resolve) => setTimeout(resolve, 5))
    const startedAt = performance.now()
    product.child.kill('SIGTERM')
    equal((await exited)[0], 143)
    ok(performance.now() - startedAt < 1000)
    await reply.ended
    while (isRunning(engine) && performance.now() - startedAt < 2000)
      await new Promise((resolve) => setTimeout(resolve, 20))
    ok(!isRunning(engine), 'the engine ends within 2 s when its parent is gone')
    await product.stop()
  })
})
