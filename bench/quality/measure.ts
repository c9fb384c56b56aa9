import type { ChatTurn, Decoding, Engine } from '../../src/engine/messages.ts'
import { isRight, loops, type Question, saysUnknown } from './judge.ts'

/** `crowded`: windows rest beside many others, as the server lets them; otherwise a reply takes the steps that it takes alone. */
export type Setting = {
  model: string
  temperature: number
  seed: number
  decoding: Partial<Decoding>
  crowded?: boolean
}
export type Reply = { question: Question; text: string; tokens: number; steps: number; ended: boolean }

const AT_ONCE = 16
const TOKENS_MAX: Record<string, number> = { open: 300 }
const TOKENS_MAX_CLOSED = 64

/** All replies, sixteen at a time, in the order of the questions; and how long it took. */
export async function askAll(
  engine: Engine,
  questions: readonly Question[],
  setting: Setting,
): Promise<{ replies: Reply[]; ms: number }> {
  const replies: Reply[] = []
  const startedAt = performance.now()
  const waiting = questions.entries()
  const work = async (): Promise<void> => {
    for (const [i, question] of waiting) replies[i] = await ask(engine, question, setting)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { replies, ms: performance.now() - startedAt }
}

function turnsOf({ system, before = [], ask }: Question): ChatTurn[] {
  const first: ChatTurn[] = system === undefined ? [] : [{ role: 'system', text: system }]
  const earlier = before.flatMap(([ask, answer]): ChatTurn[] => [
    { role: 'user', text: ask },
    { role: 'assistant', text: answer },
  ])
  return [...first, ...earlier, { role: 'user', text: ask }]
}

let asked = 0
async function ask(engine: Engine, question: Question, setting: Setting): Promise<Reply> {
  const request = {
    id: `quality-${asked++}`,
    owner: 'quality',
    model: setting.model,
    turns: turnsOf(question),
    tokensMax: TOKENS_MAX[question.kind] ?? TOKENS_MAX_CLOSED,
    temperature: setting.temperature,
    topP: 0.8,
    seed: setting.seed,
    stop: [],
    wantsSteps: setting.crowded !== true,
    deadlineAt: Date.now() + 3_600_000,
    streaming: false,
    decoding: setting.decoding,
  }
  let text = ''
  for await (const event of engine.generate(request, new AbortController().signal)) {
    if (event.kind === 'text') text += event.text
    if (event.kind === 'failed') throw new Error(`"${question.ask}": ${event.reason}: ${event.detail}`)
    if (event.kind !== 'done') continue
    const ended = event.finish === 'stop'
    // The end of turn is a token that a forward made.
    return { question, text, ended, tokens: event.usage.completionTokens + Number(ended), steps: event.usage.steps }
  }
  throw new Error(`"${question.ask}" got no end`)
}

export type Figures = {
  questions: number
  right: number
  ended: number
  looping: number
  unknown: number
  tokensPerForward: number
}

/** Shares of a group of replies, and tokens per forward: every forward counts, the prompt's too. */
export function judgeAll(replies: readonly Reply[]): Figures {
  const share = (fits: (reply: Reply) => boolean): number =>
    Number((replies.filter(fits).length / replies.length).toFixed(4))
  const sum = (key: 'tokens' | 'steps'): number => replies.reduce((all, reply) => all + reply[key], 0)
  return {
    questions: replies.length,
    right: share(({ question, text }) => isRight(question, text)),
    ended: share(({ ended }) => ended),
    looping: share(({ text }) => loops(text)),
    unknown: share(({ text }) => saysUnknown(text)),
    tokensPerForward: Number((sum('tokens') / sum('steps')).toFixed(3)),
  }
}
