import type { EngineClient } from '../../src/engine/client.ts'
import type { GenerateRequest } from '../../src/engine/messages.ts'

/** Replies that run together; each has one row in a step, so that all steps are alike. */
export const REPLIES = 4

/** Milliseconds of each forward of REPLIES rows until `endsAt` (performance.now). */
export async function measureSteps(engine: EngineClient, endsAt: number): Promise<number[]> {
  const steps: number[] = []
  const abort = new AbortController()
  let last = engine.health()
  const look = (): void => {
    const now = engine.health()
    if (now.forwards - last.forwards === 1 && now.forwardRows - last.forwardRows === REPLIES) {
      steps.push(now.forwardMs - last.forwardMs)
    }
    last = now
    if (performance.now() >= endsAt) abort.abort()
  }
  const stream = async (name: number): Promise<void> => {
    for (let count = 0; !abort.signal.aborted; count++) {
      for await (const event of engine.generate(request(`${name}-${count}-${endsAt}`), abort.signal)) {
        if (event.kind === 'failed' && !abort.signal.aborted) throw new Error(event.detail)
        look()
      }
    }
  }
  await Promise.all(Array.from({ length: REPLIES }, (_, name) => stream(name)))
  return steps
}

function request(id: string): GenerateRequest {
  return {
    id,
    owner: 'bench',
    model: 'Model',
    turns: [{ role: 'user', text: `Give me ten tips for sleeping better, and explain each of them. (${id})` }],
    tokensMax: 300,
    temperature: 0,
    topP: 1,
    seed: 1,
    stop: [],
    wantsSteps: true,
    deadlineAt: Date.now() + 600_000,
    streaming: true,
    decoding: { rule: 'sequential' },
  }
}
