/** Bidirectional decoding beside llama.cpp's diffusion program: the same random weights in LLaDA's layout, one file for both. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Decoding } from '../../src/engine/messages.ts'
import type { Room } from '../../src/engine/room.ts'
import { ModelFile } from '../../src/engine/weights/model-file.ts'
import { writeRandomModel } from '../../src/engine/weights/random.ts'
import { PROMPTS } from '../../test/support/prompts.ts'
import { openRealRooms } from '../../test/support/real-rooms.ts'
import { buildDiffusionCli, diffusionCliRelease, runDiffusionCli, type Canvas } from './diffusion-cli.ts'
import { generate, median } from './generate.ts'

const MODEL = '.cache/peers/44m-dense.gguf'
const CANVAS: Canvas = { prompt: 32, reply: 256, block: 32, perStep: 4 }
const FIXED: Partial<Decoding> = { rule: 'fixed', window: CANVAS.block, perStep: CANVAS.perStep }
/** In the order of the table. The last one is what the others' tokens are compared with. */
const OURS: Record<string, Partial<Decoding>> = { 'block by block': FIXED, 'whole canvas': { ...FIXED, exact: true } }
const PEER = 'llama-diffusion-cli'

export type CanvasResult = Canvas & {
  release: string
  parameters: number
  forwards: number
  replies: number
  rows: { name: string; threads: number; tokensPerSecond: number; times: number; equalTokens: number }[]
}

/** Greedy, both at each number of threads, in turn; every forward counts, loading does not. */
export async function compareWholeCanvas(options: {
  threads: readonly number[]
  rounds: number
}): Promise<CanvasResult> {
  await buildDiffusionCli()
  if (!existsSync(MODEL)) await writeRandomModel(MODEL, { like: '44m-dense', seed: 1 })
  const told: Told[] = []
  for (const threads of options.threads) told.push(...(await measure(threads, options.rounds)))
  const best = (name: string): Told =>
    told.filter((one) => one.name === name).reduce((a, b) => (b.tokensPerSecond > a.tokensPerSecond ? b : a))
  const peer = best(PEER)
  const file = await ModelFile.open(MODEL)
  const { parameters } = file.card
  await file.close()
  return {
    ...CANVAS,
    release: diffusionCliRelease(),
    parameters,
    forwards: told.find(({ name }) => name !== PEER)?.forwards ?? 0,
    replies: options.rounds,
    rows: [PEER, ...Object.keys(OURS)].map((name) => {
      const { threads, tokensPerSecond, equal } = best(name)
      const times = tokensPerSecond / peer.tokensPerSecond
      return {
        name,
        threads,
        tokensPerSecond: Math.round(tokensPerSecond * 10) / 10,
        times: Math.round(times * 100) / 100,
        equalTokens: Math.round(equal * 100) / 100,
      }
    }),
  }
}

type Told = { name: string; threads: number; tokensPerSecond: number; equal: number; forwards: number }

async function measure(threads: number, rounds: number): Promise<Told[]> {
  const real = await openRealRooms(join(tmpdir(), 'unmask-bench'), threads, { Model: MODEL })
  const endless = { rooms: new Map(real.rooms.entries().map(([id, room]) => [id, withoutEnd(room)])) }
  const names = [PEER, ...Object.keys(OURS)]
  const ms = new Map<string, number[]>(names.map((name) => [name, []]))
  const equal = new Map<string, number>(names.map((name) => [name, 0]))
  let forwards = 0
  const template = (await real.encode('Model', '')).ids.length
  for (let round = 0; round < rounds; round++) {
    const text = (PROMPTS[round] ?? '').slice(0, CANVAS.prompt - template)
    const { ids } = await real.encode('Model', text)
    if (ids.length !== CANVAS.prompt) throw new Error(`the prompt has ${ids.length} tokens`)
    const canvas = { model: MODEL, text, canvas: CANVAS, threads }
    ms.get(PEER)?.push(await runDiffusionCli(canvas))
    // A reply that is not counted: the first one finds the caches cold, as the other program's own warm-up does.
    if (round === 0) await generate(endless, FIXED, ids, CANVAS.block)
    const replies = new Map<string, number[]>()
    for (const [name, decoding] of Object.entries(OURS)) {
      const reply = await generate(endless, decoding, ids, CANVAS.reply)
      if (reply.tokens.length !== CANVAS.reply) throw new Error(`${reply.tokens.length} tokens were generated`)
      forwards = reply.forwards
      ms.get(name)?.push(reply.wholeMs)
      replies.set(name, reply.tokens)
    }
    const exact = replies.get('whole canvas')
    for (const [name, tokens] of replies) {
      const same = tokens.filter((token, i) => token === exact?.[i]).length / CANVAS.reply
      equal.set(name, (equal.get(name) ?? 0) + same / rounds)
    }
  }
  await real.close()
  return names.map((name) => {
    const tokensPerSecond = (1000 * CANVAS.reply) / median(ms.get(name) ?? [])
    return { name, threads, tokensPerSecond, equal: equal.get(name) ?? 0, forwards }
  })
}

/** The published procedure knows no end of turn: every step of every block runs. The mask is never drawn. */
function withoutEnd(room: Room): Room {
  return { ...room, spec: { ...room.spec, endTokens: [room.spec.maskToken] } }
}
