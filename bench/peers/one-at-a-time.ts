/** The bundled `Model` beside llama.cpp on the very same base file, which llama.cpp continues one token at a time. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Decoding } from '../../src/engine/messages.ts'
import { PROMPTS } from '../../test/support/prompts.ts'
import { openRealRooms } from '../../test/support/real-rooms.ts'
import { median } from '../figures.ts'
import { generate } from './generate.ts'
import { installLlamaCpp, LlamaCpp } from './llama-cpp.ts'

const OURS: Record<string, Partial<Decoding>> = {
  verified: {},
  'verified, its window never resting': { paced: false },
  sequential: { rule: 'sequential' },
  threshold: { rule: 'threshold', window: 4, threshold: 0.7 },
}
const NAMES = ['llama.cpp', ...Object.keys(OURS)]

export type BaseResult = {
  prompts: number
  tokensMax: number
  rows: {
    name: string
    threads: number
    tokensPerSecond: number
    times: number
    timesOnAsManyThreads: number
    equalReplies: number
  }[]
}

/** Same prompts, greedy, both at each number of threads, in turn; what counts is the time from the first token to the last. */
export async function compareOneAtATime(options: {
  threads: readonly number[]
  prompts: number
  tokensMax: number
}): Promise<BaseResult> {
  installLlamaCpp()
  // Spread over questions and things.
  const texts = PROMPTS.filter((_, i) => i % Math.floor(PROMPTS.length / options.prompts) === 0)
  const told: Told[] = []
  for (const threads of options.threads) told.push(...(await measure(threads, texts, options.tokensMax)))
  const best = (name: string): Told =>
    told.filter((one) => one.name === name).reduce((a, b) => (b.tokensPerSecond > a.tokensPerSecond ? b : a))
  const peer = best('llama.cpp')
  const rows = NAMES.map((name) => {
    const own = best(name)
    return {
      name,
      threads: own.threads,
      tokensPerSecond: Math.round(own.tokensPerSecond * 10) / 10,
      times: Math.round((own.tokensPerSecond / peer.tokensPerSecond) * 100) / 100,
      timesOnAsManyThreads: Math.round(median(own.ratios) * 100) / 100,
      equalReplies: Math.round(own.equal * 100) / 100,
    }
  })
  return { prompts: texts.length, tokensMax: options.tokensMax, rows }
}

type Told = { name: string; threads: number; tokensPerSecond: number; equal: number; ratios: number[] }

async function measure(threads: number, texts: readonly string[], tokensMax: number): Promise<Told[]> {
  const real = await openRealRooms(join(tmpdir(), 'unmask-bench'), threads)
  const peer = await LlamaCpp.open('models/base.gguf', threads)
  const rates = new Map<string, number[]>(NAMES.map((name) => [name, []]))
  const equal = new Map<string, number>(NAMES.map((name) => [name, 0]))
  const warm = await real.encode('Model', texts[0] ?? '')
  await peer.generate({ prompt: warm.ids, tokensMax: 8 })
  for (const text of texts) {
    const { ids } = await real.encode('Model', text)
    const theirs = await peer.generate({ prompt: ids, tokensMax })
    if (theirs.tokens.length < 8) continue
    rates.get('llama.cpp')?.push(rate(theirs))
    for (const [name, decoding] of Object.entries(OURS)) {
      const ours = await generate(real, decoding, ids, tokensMax)
      rates.get(name)?.push(rate(ours))
      const same = ours.tokens.length === theirs.tokens.length && ours.tokens.every((t, i) => t === theirs.tokens[i])
      if (same) equal.set(name, (equal.get(name) ?? 0) + 1)
    }
  }
  await peer.stop()
  await real.close()
  const base = rates.get('llama.cpp') ?? []
  return NAMES.map((name) => {
    const own = rates.get(name) ?? []
    const ratios = own.map((value, i) => value / (base[i] ?? Number.NaN))
    return { name, threads, tokensPerSecond: median(own), equal: (equal.get(name) ?? 0) / own.length, ratios }
  })
}

/** Tokens a second behind the first. */
function rate({ tokens, ms }: { tokens: readonly number[]; ms: number }): number {
  return ((tokens.length - 1) / ms) * 1000
}
