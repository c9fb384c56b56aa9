/**
 * `./unmask bench chat`: the whole product over HTTPS, from `npm start` to the last token.
 *   --json FILE   write the figures (default bench/results/chat.json)
 *   --rounds N    requests a measure (default 9)
 * Medians over the rounds; one process sends and receives, so its own work is part of every figure.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { setTimeout } from 'node:timers/promises'
import { startProduct, type Product } from '../test/support/product.ts'
import { median, quantile, round } from './figures.ts'
import { measureMemory } from './chat/measure-memory.ts'
import { startSettled } from './chat/start-product.ts'
import { streamReply, type Reply } from './chat/stream-reply.ts'

const { values } = parseArgs({
  options: { json: { type: 'string', default: 'bench/results/chat.json' }, rounds: { type: 'string', default: '9' } },
})
const ROUNDS = Number(values.rounds)

/** About 64 tokens with the template. */
const PROMPT =
  'I am planning a weekend in a small town by the sea with two friends who like walking, good food and old books. ' +
  'What should we pack, and how would you plan the first day?'

/** A different first word each time, so that no cached beginning shortens the prompt. */
function ask(product: Product, model: string, number: number, tokensMax: number): Promise<Reply> {
  return streamReply(product, { model, prompt: `${number}: ${PROMPT}`, tokensMax, seed: number })
}

async function measureModel(product: Product, model: string): Promise<Record<string, number>> {
  await ask(product, model, -1, 8)
  const replies: Reply[] = []
  for (let i = 0; i < ROUNDS; i++) replies.push(await ask(product, model, i, 128))
  const startedAt = performance.now()
  const crowd = await Promise.all(Array.from({ length: 8 }, (_, i) => ask(product, model, 100 + i, 128)))
  const crowdMs = performance.now() - startedAt
  const rates = replies.map((r) => (1000 * (r.usage.completion_tokens - 1)) / (r.totalMs - r.firstMs))
  return {
    promptTokens: median(replies.map((r) => r.usage.prompt_tokens)),
    firstTokenMs: round(median(replies.map((r) => r.firstMs))),
    firstTokenP90Ms: round(
      quantile(
        replies.map((r) => r.firstMs),
        0.9,
      ),
    ),
    tokensPerSecond: round(median(rates)),
    tokensPerStep: round(median(replies.map((r) => r.usage.completion_tokens_details.tokens_per_step)), 2),
    tokensPerSecondOf8: round((1000 * crowd.reduce((sum, r) => sum + r.usage.completion_tokens, 0)) / crowdMs),
  }
}

/** Node measures by a timer of this many milliseconds, and its figures are the time between two ticks. */
const TICK_MS = 10

/** Median p99 of the API's event-loop delay that its own metrics tell, ms, read while 8 replies run. */
async function eventLoopP99Ms(product: Product): Promise<number> {
  const busy = Promise.all(Array.from({ length: 8 }, (_, i) => ask(product, 'Model', 200 + i, 128)))
  const ended = busy.then(() => true)
  const seen: number[] = []
  do {
    const metrics = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text()
    const line = /^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(metrics)
    if (line === null) throw new Error('the metrics do not tell the delay of the event loop')
    seen.push(Math.max(0, Number(line[1]) * 1000 - TICK_MS))
  } while (!(await Promise.race([ended, setTimeout(200, false)])))
  return round(median(seen), 2)
}

const METRICS_PORT = 19_464
const cold = await startProduct()
await cold.stop()
const product = await startSettled({ UNMASK_METRICS_PORT: String(METRICS_PORT) })
try {
  const result = {
    at: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}`,
    firstStartMs: round(cold.startMs, 0),
    startMs: round(product.startMs, 0),
    memory: await measureMemory(product, METRICS_PORT),
    models: { Model: await measureModel(product, 'Model'), 'Model-MoE': await measureModel(product, 'Model-MoE') },
    eventLoopP99Ms: await eventLoopP99Ms(product),
  }
  mkdirSync(dirname(values.json), { recursive: true })
  writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
  process.stdout.write(`${JSON.stringify(result, null, 2)}\nwritten to ${values.json}\n`)
} finally {
  await product.stop()
}
