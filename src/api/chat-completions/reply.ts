import { randomInt } from 'node:crypto'
import type { GenerateEvent, GenerateRequest } from '../../engine/messages.ts'
import { randomBase62 } from '../../lib/ids.ts'
import type { Call } from '../call.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../errors.ts'
import { keyOf } from '../permit.ts'
import { deadlineSignal } from './deadline.ts'
import { toReplyError } from './engine-failure.ts'
import type { ChatRequest } from './parse-request.ts'
import { fingerprintOf, type Head } from './render.ts'

type ReplyEvent = Exclude<GenerateEvent, { kind: 'failed' | 'started' }>

/** A reply that runs: its first forward has returned. `events` throws an ApiError where the engine fails. */
export type Reply = { head: Head; events: AsyncGenerator<ReplyEvent> }

/**
 * Asks the engine and waits for its first sign of life, so that 429, 500 and 504 are still real statuses. Throws an
 * ApiError. The deadline bounds the wait for a stream, and everything for a plain reply.
 */
export async function beginReply(request: ChatRequest, call: Call, deps: Deps): Promise<Reply> {
  const deadline = deadlineSignal(deps.options.deadlineS * 1000, call.signal)
  const events = replyEvents(request, call, deadline, deps)
  const first = await events.next()
  if (request.stream) deadline.lift()
  if (first.done === true) throw new ApiError('engine_failed', {}, 'the reply ended before it began')
  if (first.value.kind === 'started') call.facts.promptTokens = first.value.promptTokens
  const card = deps.engine.health().models.find((model) => model.id === request.model)
  return {
    head: {
      id: `chatcmpl-${randomBase62(24)}`,
      created: Math.floor(deps.clock.now() / 1000),
      model: request.model,
      fingerprint: fingerprintOf(card),
    },
    events: first.value.kind === 'started' ? onlyReply(events) : prepend(first.value, onlyReply(events)),
  }
}

type Started = Extract<GenerateEvent, { kind: 'started' }>
type Deadline = ReturnType<typeof deadlineSignal>

async function* replyEvents(
  request: ChatRequest,
  call: Call,
  deadline: Deadline,
  deps: Deps,
): AsyncGenerator<ReplyEvent | Started> {
  const models = deps.engine.health().models.map((card) => card.id)
  try {
    for await (const event of deadline.guard(
      deps.engine.generate(engineRequest(request, call, deps), deadline.signal),
    )) {
      if (event.kind === 'failed') throw toReplyError(event, request.model, models)
      yield event
      if (event.kind === 'done') return
    }
    if (deadline.passed()) throw new ApiError('timed_out')
    throw call.signal.aborted ? call.signal.reason : new ApiError('engine_failed', {}, 'the reply has no end')
  } finally {
    deadline.lift()
  }
}

function engineRequest(request: ChatRequest, call: Call, deps: Deps): GenerateRequest {
  return {
    id: call.requestId,
    owner: keyOf(call).accountId,
    model: request.model,
    turns: request.turns,
    tokensMax: request.tokensMax,
    temperature: request.temperature,
    topP: request.topP,
    seed: request.seed ?? randomInt(2 ** 47),
    stop: request.stop,
    wantsSteps: request.wantsSteps,
    deadlineAt: deps.clock.now() + deps.options.deadlineS * 1000,
    streaming: request.stream,
  }
}

async function* onlyReply(events: AsyncGenerator<ReplyEvent | Started>): AsyncGenerator<ReplyEvent> {
  for await (const event of events) if (event.kind !== 'started') yield event
}

async function* prepend(first: ReplyEvent, rest: AsyncGenerator<ReplyEvent>): AsyncGenerator<ReplyEvent> {
  yield first
  yield* rest
}
