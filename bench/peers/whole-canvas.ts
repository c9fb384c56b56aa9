/** Bidirectional decoding beside llama.cpp's diffusion program: the same random weights in LLaDA's layout, one file for both. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Decoding } from '../../src/engine/messages.ts'
import type { Room } from '../../src/engine/room.ts'
import { ModelFile } from '../../src/engine/weights/model-file.ts'
import { writeRandomModel } from '../../src/engine/weights/random.ts'
import { PROMPTS } from '../../test/support/prompts.ts'
import { openRealRooms, type RealRooms } from '../../test/support/real-rooms.ts'
import { median } from '../figures.ts'
import { buildDiffusionCli, diffusionCliRelease, runDiffusionCli, type Canvas } from './diffusion-cli.ts'
import { generate } from './generate.ts'

const MODEL = '.cache/peers/44m-dense.gguf'
const CANVAS: Canvas = { prompt: 32, reply: 256, block: 32, perStep: 4 }
const FIXED: Partial<Decoding> = { rule: 'fixed', window: CANVAS.block, perStep: CANVAS.perStep }
const PEER = 'llama-diffusion-cli'
/** Approximates nothing: what the other's tokens are compared with. */
const EXACT = 'whole canvas'
const OURS: Record<string, Partial<Decoding>> = { 'block by block': FIXED, [EXACT]: { ...FIXED, exact: true } }

type Row = { name: string; threads: number; tokensPerSecond: number; times: number; equalTokens?: number }

export type CanvasResult = Canvas & {
  release: string
  parameters: number
  forwards: number
  prompts: number
  /** Share of tokens that are the same by the kernel's products and by ggml's. */
  equalButRounding: number
  rows: Row[]
}

/** Both at each number of threads, in turn, on other prompts each time; every forward counts, loading does not. */
export async function compareWholeCanvas(options: {
  threads: readonly number[]
  rounds: number
}): Promise<CanvasResult> {
  await buildDiffusionCli()
  if (!existsSync(MODEL)) await writeRandomModel(MODEL, { like: '44m-dense', seed: 1 })
  const runs: Run[] = []
  for (const [i, threads] of options.threads.entries()) {
    const prompts = PROMPTS.slice(i * options.rounds, (i + 1) * options.rounds)
    runs.push(...(await measure(threads, prompts)))
  }
  const prompts = new Set(runs.map(({ prompt }) => prompt))
  const byGgml = await generateByGgml(Math.max(...options.threads), [...prompts])
  const exact = runs.filter(({ name }) => name === EXACT)
  const file = await ModelFile.open(MODEL)
  await file.close()
  const peer = bestOf(runs, PEER).tokensPerSecond
  return {
    ...CANVAS,
    release: diffusionCliRelease(),
    parameters: file.card.parameters,
    forwards: Math.max(...runs.map(({ forwards }) => forwards)),
    prompts: prompts.size,
    equalButRounding: shareOfEqual(byGgml, exact),
    rows: [
      { name: PEER, ...bestOf(runs, PEER), times: 1 },
      ...Object.keys(OURS).map((name) => {
        const { threads, tokensPerSecond } = bestOf(runs, name)
        const times = Math.round((100 * tokensPerSecond) / peer) / 100
        const own = runs.filter((run) => run.name === name)
        return { name, threads, tokensPerSecond, times, equalTokens: shareOfEqual(own, exact) }
      }),
    ],
  }
}

type Reply = { prompt: string; tokens: number[] }
/** One reply; llama.cpp's tokens are not read. */
type Run = Reply & { name: string; threads: number; ms: number; forwards: number }

async function measure(threads: number, prompts: readonly string[]): Promise<Run[]> {
  const engine = await openEngine(threads, 'auto')
  const runs: Run[] = []
  for (const [i, prompt] of prompts.entries()) {
    const { text, ids } = await fillPrompt(engine, prompt)
    const ms = await runDiffusionCli({ model: MODEL, text, canvas: CANVAS, threads })
    runs.push({ name: PEER, threads, prompt, ms, tokens: [], forwards: 0 })
    // The first reply finds the caches cold; it is not counted.
    if (i === 0) await generate(engine, FIXED, ids, CANVAS.block)
    for (const [name, decoding] of Object.entries(OURS)) {
      const { tokens, wholeMs, forwards } = await generate(engine, decoding, ids, CANVAS.reply)
      if (tokens.length !== CANVAS.reply) throw new Error(`${tokens.length} tokens were generated`)
      runs.push({ name, threads, prompt, ms: wholeMs, tokens, forwards })
    }
  }
  await engine.close()
  return runs
}

/** The same as `EXACT`, where nothing but the rounding differs. */
async function generateByGgml(threads: number, prompts: readonly string[]): Promise<Reply[]> {
  const engine = await openEngine(threads, 'ggml')
  const replies: Reply[] = []
  for (const prompt of prompts) {
    const { ids } = await fillPrompt(engine, prompt)
    replies.push({ prompt, tokens: (await generate(engine, OURS[EXACT] ?? {}, ids, CANVAS.reply)).tokens })
  }
  await engine.close()
  return replies
}

function bestOf(runs: readonly Run[], name: string): { threads: number; tokensPerSecond: number } {
  const own = Map.groupBy(
    runs.filter((run) => run.name === name),
    (run) => run.threads,
  )
  const rates = [...own].map(([threads, some]) => {
    const rate = (1000 * CANVAS.reply) / median(some.map(({ ms }) => ms))
    return { threads, tokensPerSecond: Math.round(rate * 10) / 10 }
  })
  return rates.reduce((best, one) => (one.tokensPerSecond > best.tokensPerSecond ? one : best))
}

/** Of all tokens, those that stand at the same place of the other reply to the same prompt. */
function shareOfEqual(replies: readonly Reply[], others: readonly Reply[]): number {
  const pairs = replies.flatMap(({ prompt, tokens }) => {
    const other = others.find((one) => one.prompt === prompt)
    return tokens.map((token, i) => token === other?.tokens[i])
  })
  return Math.round((100 * pairs.filter(Boolean).length) / pairs.length) / 100
}

async function openEngine(threads: number, kernel: 'auto' | 'ggml'): Promise<RealRooms> {
  const real = await openRealRooms(join(tmpdir(), 'unmask-bench'), threads, { models: { Model: MODEL }, kernel })
  return { ...real, rooms: new Map(real.rooms.entries().map(([id, room]) => [id, withoutEnd(room)])) }
}

/** The published procedure knows no end of turn: every step of every block runs. The mask is never drawn. */
function withoutEnd(room: Room): Room {
  return { ...room, spec: { ...room.spec, endTokens: [room.spec.maskToken] } }
}

/** As much of the text as fills the canvas's prompt with the template, and all its tokens. */
async function fillPrompt({ encode }: RealRooms, prompt: string): Promise<{ text: string; ids: number[] }> {
  const template = (await encode('Model', '')).ids.length
  const text = `${prompt} ${prompt}`.slice(0, CANVAS.prompt - template)
  const { ids } = await encode('Model', text)
  if (ids.length !== CANVAS.prompt) throw new Error(`the prompt has ${ids.length} tokens`)
  return { text, ids }
}
