/**
 * `./unmask bench batching`: many requests at once, over HTTPS: what they gain together, and whether it is fair.
 *   --json FILE   write the figures (default bench/results/batching.json)
 *   --rounds N    rounds of each measure (default 3)
 * Medians over the rounds. One process sends and receives for all clients, so its own work is part of every figure.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../test/support/free-port.ts'
import { mean, median, round } from './figures.ts'
import { startSettled } from './chat/start-product.ts'
import { streamReply, type Reply } from './chat/stream-reply.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'string', default: 'bench/results/batching.json' },
    rounds: { type: 'string', default: '3' },
  },
})
const ROUNDS = Number(values.rounds)
const CROWD = 16
const TOKENS = 64
const STREAMS = 4
/** Words of the long prompt: a little over as many tokens. */
const LONG = 1100

const metricsPort = await freePort()
const product = await startSettled({ UNMASK_METRICS_PORT: String(metricsPort) })
let asked = 0

/** A number in front makes each prompt a new one: no beginning is reused, and texts and experts differ. */
function ask(model: string, tokensMax: number, more: { words?: number; onText?: () => void } = {}): Promise<Reply> {
  const number = ++asked
  const filling = Array.from({ length: more.words ?? 0 }, (_, i) => WORDS[(i * number) % WORDS.length]).join(' ')
  const prompt = `Letter ${number}. ${filling} Give me ten tips for ${SUBJECTS[number % SUBJECTS.length]}, and explain each of them.`
  // Coldly drawn, a list of ten tips hardly ever ends within the tokens that are asked for.
  return streamReply(product, { model, prompt, tokensMax, seed: number, temperature: 0.1, ...more })
}

const SUBJECTS = [
  'sleeping better',
  'learning to cook',
  'growing tomatoes',
  'saving money',
  'reading more',
  'keeping fit',
]
const WORDS =
  'tide pilot anchor beacon compass story letter market garden river winter travel music bread teacher window road'.split(
    ' ',
  )

const tokensOf = (replies: readonly Reply[]): number =>
  replies.reduce((sum, { usage }) => sum + usage.completion_tokens, 0)

/** So many equal requests at once beside one alone, first text and prompt included. */
async function measureCrowd(model: string) {
  await ask(model, 8)
  const rounds: { gain: number; last: number; alone: number; crowd: number; firstMs: number }[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const one = await ask(model, TOKENS)
    const startedAt = performance.now()
    const all = await Promise.all(Array.from({ length: CROWD }, () => ask(model, TOKENS)))
    const crowd = (1000 * tokensOf(all)) / (performance.now() - startedAt)
    const alone = (1000 * one.usage.completion_tokens) / one.totalMs
    // One that ended early was no equal one; its tokens count.
    const equal = all.filter(({ usage }) => usage.completion_tokens >= TOKENS)
    if (equal.length < CROWD / 2) throw new Error(`only ${equal.length} of ${CROWD} replies have ${TOKENS} tokens`)
    const ends = equal.map(({ totalMs }) => totalMs)
    rounds.push({
      gain: crowd / alone,
      last: Math.max(...ends) / mean(ends),
      alone,
      crowd,
      firstMs: mean(all.map(({ firstMs }) => firstMs)),
    })
  }
  const middle = (key: keyof (typeof rounds)[number], digits = 2): number =>
    round(median(rounds.map((figures) => figures[key])), digits)
  return {
    tokensPerSecondAlone: middle('alone', 1),
    tokensPerSecondTogether: middle('crowd', 1),
    timesAlone: middle('gain'),
    lastEndTimesMean: middle('last'),
    firstTextMs: middle('firstMs', 0),
  }
}

/** Texts of streams that run beside, by the clock of performance.now; a new stream begins where one has ended. */
function keepStreaming(model: string, isOver: () => boolean): { arrivals: number[][]; ended: Promise<unknown> } {
  const arrivals: number[][] = []
  const one = async (): Promise<void> => {
    while (!isOver()) {
      const times: number[] = []
      arrivals.push(times)
      await ask(model, 300, { onText: () => times.push(performance.now()) })
    }
  }
  return { arrivals, ended: Promise.all(Array.from({ length: STREAMS }, one)) }
}

/** Between two texts of one stream, ms, where that time overlaps with `from` to `to`. */
function gapsOf(arrivals: readonly number[], from: number, to: number): number[] {
  return arrivals.slice(1).flatMap((time, i) => {
    const before = arrivals[i] ?? time
    return time > from && before < to ? [time - before] : []
  })
}

/** Streams run; a long prompt comes in: how long they stand still, and how long it takes to be read. */
async function measureLongPrompt(model: string) {
  const rounds: { usualMs: number; longestMs: number; longFirstMs: number; promptTokens: number }[] = []
  for (let i = 0; i < ROUNDS; i++) {
    let over = false
    const { arrivals, ended } = keepStreaming(model, () => over)
    while (arrivals.flat().length < 20 * STREAMS) await setTimeout(20)
    const from = performance.now()
    const long = await ask(model, 8, { words: LONG })
    over = true
    await ended
    const gaps = (start: number, end: number): number[] => arrivals.flatMap((times) => gapsOf(times, start, end))
    rounds.push({
      usualMs: median(gaps(0, from)),
      longestMs: Math.max(...gaps(from, from + long.firstMs)),
      longFirstMs: long.firstMs,
      promptTokens: long.usage.prompt_tokens,
    })
  }
  const middle = (key: keyof (typeof rounds)[number]): number => round(median(rounds.map((figures) => figures[key])))
  return {
    promptTokens: middle('promptTokens'),
    usualGapMs: middle('usualMs'),
    longestGapMs: middle('longestMs'),
    firstTextMs: middle('longFirstMs'),
  }
}

/** Sums since the server's start, by its own metrics: milliseconds in forwards, and from the request line to the end of the answer. */
async function readClocks(): Promise<{ forwardMs: number; serverMs: number }> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const sum = (name: string): number => 1000 * Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN)
  return {
    forwardMs: sum('unmask_engine_forward_seconds'),
    serverMs: sum('unmask_http_request_duration_seconds_sum\\{route="/v1/chat/completions"\\}'),
  }
}

/** The server writes its line of a request when the connection is free again, a moment behind the last byte. */
const SETTLED_MS = 5
const BARE_REQUESTS = 60
/** Until then a request also takes cells of the cache that were never touched. */
const WARM_UP_REQUESTS = 80

/**
 * What a request costs beside its forwards, which are of nobody else because it runs alone; its one token is one forward. In the
 * server: API, queue, tokenizer, the way to the engine and back. At the client: also TLS, loopback and its own work.
 */
async function measureBeside(model: string): Promise<{ serverMs: number; clientMs: number }> {
  const server: number[] = []
  const client: number[] = []
  for (let i = 0; i < WARM_UP_REQUESTS; i++) await ask(model, 1)
  for (let i = 0; i < BARE_REQUESTS; i++) {
    const before = await readClocks()
    const { totalMs } = await ask(model, 1)
    await setTimeout(SETTLED_MS)
    const after = await readClocks()
    const forwardMs = after.forwardMs - before.forwardMs
    server.push(after.serverMs - before.serverMs - forwardMs)
    client.push(totalMs - forwardMs)
  }
  return { serverMs: round(median(server), 2), clientMs: round(median(client), 2) }
}

try {
  const models: Record<string, object> = {}
  for (const model of ['Model', 'Model-MoE']) {
    models[model] = {
      crowd: await measureCrowd(model),
      longPrompt: await measureLongPrompt(model),
      besideForwards: await measureBeside(model),
    }
  }
  const result = {
    at: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}`,
    requests: CROWD,
    tokens: TOKENS,
    streams: STREAMS,
    models,
  }
  mkdirSync(dirname(values.json), { recursive: true })
  writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
  process.stdout.write(`${JSON.stringify(result, null, 2)}\nwritten to ${values.json}\n`)
} finally {
  await product.stop()
}
