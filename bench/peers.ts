/**
 * `./unmask bench peers`: the bundled `Model` beside llama.cpp on the very same base file, one token at a time.
 *   --json FILE     write the figures (default bench/results/peers.json)
 *   --prompts N     how many (default 24), --tokens N: at most so many each (default 64)
 * llama.cpp comes from npm (node-llama-cpp, into .cache/). Same prompts, greedy, both at each number of threads, in turn; what counts is the
 * time from the first token to the last. Replies are compared token for token: activations of 8 bits are rounded by both, not
 * alike.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Decoding } from '../src/engine/messages.ts'
import { LocalEngine, localRequest } from '../test/support/local-engine.ts'
import { PROMPTS } from '../test/support/prompts.ts'
import { openRealRooms, type RealRooms } from '../test/support/real-rooms.ts'
import { installLlamaCpp, LlamaCpp, type Generated } from './peers/llama-cpp.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'string', default: 'bench/results/peers.json' },
    prompts: { type: 'string', default: '24' },
    tokens: { type: 'string', default: '64' },
  },
})
const TOKENS_MAX = Number(values.tokens)
/** Spread over questions and things. */
const TEXTS = PROMPTS.filter((_, i) => i % Math.floor(PROMPTS.length / Number(values.prompts)) === 0)
const OURS: Record<string, Partial<Decoding>> = {
  verified: {},
  'verified, its window never resting': { paced: false },
  sequential: { rule: 'sequential' },
  threshold: { rule: 'threshold', window: 4, threshold: 0.7 },
}

async function generate(real: RealRooms, decoding: Partial<Decoding>, prompt: readonly number[]): Promise<Generated> {
  const engine = new LocalEngine(real.rooms, { prefillChunk: 128 })
  const tokens: number[] = []
  const request = localRequest({ tokensMax: TOKENS_MAX, temperature: 0, topP: 1, decoding })
  const reply = engine.send(request, prompt)
  let [first, last, seen] = [0, 0, 0]
  engine.afterStep = () => {
    const now = performance.now()
    for (; seen < reply.events.length; seen++) {
      const event = reply.events[seen]
      if (event?.kind !== 'text') continue
      if (first === 0) first = now
      last = now
    }
  }
  await reply.done
  for (const event of reply.events) {
    if (event.kind === 'text') tokens.push(...event.text.trim().split(' ').filter(Boolean).map(Number))
  }
  await engine.stop()
  return { tokens, ms: last - first }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0
}

/** Tokens a second behind the first. */
function rate({ tokens, ms }: Generated): number {
  return ((tokens.length - 1) / ms) * 1000
}

type Told = { name: string; threads: number; tokensPerSecond: number; equal: number; ratios: number[] }

async function measure(threads: number): Promise<Told[]> {
  const real = await openRealRooms(join(tmpdir(), 'unmask-bench'), threads)
  const peer = await LlamaCpp.open('models/base.gguf', threads)
  const names = ['llama.cpp', ...Object.keys(OURS)]
  const rates = new Map<string, number[]>(names.map((name) => [name, []]))
  const equal = new Map<string, number>(names.map((name) => [name, 0]))
  const warm = await real.encode('Model', TEXTS[0] ?? '')
  await peer.generate({ prompt: warm.ids, tokensMax: 8 })
  for (const text of TEXTS) {
    const { ids } = await real.encode('Model', text)
    const theirs = await peer.generate({ prompt: ids, tokensMax: TOKENS_MAX })
    if (theirs.tokens.length < 8) continue
    rates.get('llama.cpp')?.push(rate(theirs))
    for (const [name, decoding] of Object.entries(OURS)) {
      const ours = await generate(real, decoding, ids)
      rates.get(name)?.push(rate(ours))
      const same = ours.tokens.length === theirs.tokens.length && ours.tokens.every((t, i) => t === theirs.tokens[i])
      if (same) equal.set(name, (equal.get(name) ?? 0) + 1)
    }
  }
  await peer.stop()
  await real.close()
  const base = rates.get('llama.cpp') ?? []
  return names.map((name) => {
    const own = rates.get(name) ?? []
    const ratios = own.map((value, i) => value / (base[i] ?? Number.NaN))
    return { name, threads, tokensPerSecond: median(own), equal: (equal.get(name) ?? 0) / own.length, ratios }
  })
}

installLlamaCpp()
const told: Told[] = []
for (const threads of new Set([1, Math.min(2, cpus().length)])) told.push(...(await measure(threads)))
const bestOf = (name: string) =>
  told
    .filter((one) => one.name === name)
    .reduce((best, one) => (one.tokensPerSecond > best.tokensPerSecond ? one : best))
const peer = bestOf('llama.cpp')
const rows = ['llama.cpp', ...Object.keys(OURS)].map((name) => {
  const best = bestOf(name)
  return {
    name,
    threads: best.threads,
    tokensPerSecond: Math.round(best.tokensPerSecond * 10) / 10,
    times: Math.round((best.tokensPerSecond / peer.tokensPerSecond) * 100) / 100,
    timesOnAsManyThreads: Math.round(median(best.ratios) * 100) / 100,
    equalReplies: Math.round(best.equal * 100) / 100,
  }
})
console.table(rows)
const result = {
  at: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}`,
  prompts: TEXTS.length,
  tokensMax: TOKENS_MAX,
  rows,
}
mkdirSync(dirname(values.json), { recursive: true })
writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
