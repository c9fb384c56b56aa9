import { setTimeout } from 'node:timers/promises'
import type { Product } from '../../test/support/product.ts'
import { readServer } from '../soak/server-state.ts'
import { streamReply } from './stream-reply.ts'

const CONVERSATIONS = 8
const LOOK_EACH_MS = 100

/** Some 900 tokens; with the reply about 1,000. */
const LONG = 'The river rises in the hills, runs past the old mill and the market, and ends in a wide bay. '.repeat(42)

export type Memory = { conversations: number; tokens: number; apiMb: number; engineMb: number; idleEngineMb: number }

/** Resident memory with both models loaded: idle, and at most while conversations of about `tokens` run on them in turn. */
export async function measureMemory(product: Product, metricsPort: number): Promise<Memory> {
  const idle = await readServer(product.ready.pid, metricsPort)
  const models = ['Model', 'Model-MoE']
  const wishes = Array.from({ length: CONVERSATIONS }, (_, i) => ({
    model: models[i % models.length] ?? '',
    prompt: `${i}: ${LONG} What is this text about?`,
    tokensMax: 128,
    seed: i,
  }))
  const replies = Promise.all(wishes.map((wish) => streamReply(product, wish)))
  const ended = replies.then(() => true)
  let apiMb = idle.api.memoryMb
  let engineMb = idle.engine.memoryMb
  do {
    const { api, engine } = await readServer(product.ready.pid, metricsPort)
    apiMb = Math.max(apiMb, api.memoryMb)
    engineMb = Math.max(engineMb, engine.memoryMb)
  } while (!(await Promise.race([ended, setTimeout(LOOK_EACH_MS, false)])))
  const tokens = Math.max(...(await replies).map(({ usage }) => usage.prompt_tokens + usage.completion_tokens))
  return { conversations: CONVERSATIONS, tokens, apiMb, engineMb, idleEngineMb: idle.engine.memoryMb }
}
