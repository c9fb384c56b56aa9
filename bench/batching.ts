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
import { mean, median, round } from './chat/figures.ts'
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

/** Seconds in forwards since the server's start, by its metrics. */
async function forwardMs(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  return 1000 * Number(/^unmask_engine_forward_seconds (\S+)/m.exec(text)?.[1])
}

/**
 * What a request costs beside its forwards: from the first byte sent to the last one received, less the time of its forwards
 * (the engine's own clock, of nobody else's because it runs alone). One token is one forward: the bare request.
 */
async function measureOutside(model: string, tokensMax: number): Promise<number> {
  const outside: number[] = []
  for (let i = 0; i < 8 * ROUNDS; i++) {
    const before = await forwardMs()
    const { totalMs } = await ask(model, tokensMax)
    outside.push(totalMs - ((await forwardMs()) - before))
  }
  return round(median(outside), 2)
}

try {
  const models: Record<string, object> = {}
  for (const model of ['Model', 'Model-MoE']) {
    models[model] = {
      crowd: await measureCrowd(model),
      longPrompt: await measureLongPrompt(model),
      outsideForwardsMs: await measureOutside(model, 1),
      outsideForwardsOf32TokensMs: await measureOutside(model, 32),
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
