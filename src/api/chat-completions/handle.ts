import type { Ticket } from '../../accounts/accounts.ts'
import type { Answer } from '../answer.ts'
import type { Call } from '../call.ts'
import type { Deps } from '../deps.ts'
import { admit, keyOf, requireAddress, requireScope } from '../permit.ts'
import { parseChatRequest, type ChatRequest } from './parse-request.ts'
import { collectReply } from './collect-reply.ts'
import { unknownModel } from './engine-failure.ts'
import { renderCompletion } from './render.ts'
import { beginReply, type Reply } from './reply.ts'
import { settleFailure, settleServed } from './settle.ts'
import { streamReply } from './stream.ts'

/** POST /v1/chat/completions: parse, may they, spend, generate. */
export async function handleChatCompletion(call: Call, deps: Deps): Promise<Answer> {
  const key = keyOf(call)
  const request = parseChatRequest(call.body, {
    outOfRangeSampling: key.outOfRangeSampling ?? deps.options.outOfRangeSampling,
  })
  requireModel(request, deps)
  requireScope(key, 'chat')
  requireAddress(key, call.address, deps)
  const ticket = await admit(call, 'chat', deps)
  call.facts.model = request.model
  try {
    const reply = await beginReply(request, call, deps)
    return request.stream
      ? streamed(reply, request, call, ticket, deps)
      : await whole(reply, request, call, ticket, deps)
  } catch (error) {
    throw settleFailure(error, { ticket, call, request, begun: false }, deps)
  }
}

/** No bytes before the last token: until then every failure is a real status. */
async function whole(reply: Reply, request: ChatRequest, call: Call, ticket: Ticket, deps: Deps): Promise<Answer> {
  const { text, finish, usage } = await collectReply(reply)
  settleServed(usage, { ticket, call, request, begun: true }, deps)
  return { kind: 'json', body: renderCompletion(reply.head, text, finish, usage), headers: adjustedHeader(request) }
}

function streamed(reply: Reply, request: ChatRequest, call: Call, ticket: Ticket, deps: Deps): Answer {
  return {
    kind: 'events',
    headers: adjustedHeader(request),
    send: (stream) => streamReply(stream, reply, { ticket, call, request, begun: true }, deps),
  }
}

function adjustedHeader(request: ChatRequest): Record<string, string> {
  return request.adjusted.length === 0 ? {} : { 'x-adjusted-params': request.adjusted.join(', ') }
}

function requireModel(request: ChatRequest, deps: Deps): void {
  const ids = deps.engine.health().models.map((card) => card.id)
  if (ids.length === 0 || ids.includes(request.model)) return
  throw unknownModel(request.model, ids)
}
