import type { GenerateEvent } from '../../engine/messages.ts'
import type { Deps } from '../deps.ts'
import { renderError } from '../errors.ts'
import type { EventStream } from '../sse.ts'
import { renderChunk, renderStep, renderUsageChunk } from './render.ts'
import type { Reply } from './reply.ts'
import { settleFailure, settleServed, type Admitted } from './settle.ts'

type Step = Extract<GenerateEvent, { kind: 'step' }>
type Done = Extract<GenerateEvent, { kind: 'done' }>

/** Sends a running reply chunk by chunk. Never throws: from here on a failure is an event of the stream. */
export async function streamReply(stream: EventStream, reply: Reply, admitted: Admitted, deps: Deps): Promise<void> {
  try {
    const done = await sendText(stream, reply, admitted.request.wantsSteps)
    settleServed(done.usage, admitted, deps)
    await stream.send(renderChunk(reply.head, { content: '' }, done.finish))
    if (admitted.request.includeUsage) await stream.send(renderUsageChunk(reply.head, done.usage))
    await stream.send('[DONE]')
  } catch (thrown) {
    const error = settleFailure(thrown, admitted, deps)
    admitted.call.facts.error = error.code
    await stream.send(renderError(error))
  } finally {
    stream.end()
  }
}

async function sendText(stream: EventStream, reply: Reply, wantsSteps: boolean): Promise<Done> {
  let state: Step = { kind: 'step', step: 0, set: [], takenBack: [], masked: [] }
  const chunk = (delta: { role?: 'assistant'; content: string }): object => {
    const body = renderChunk(reply.head, delta)
    return wantsSteps ? { ...body, diffusion: renderStep(state) } : body
  }
  await stream.send(chunk({ role: 'assistant', content: '' }))
  for await (const event of reply.events) {
    if (event.kind === 'done') return event
    if (event.kind === 'step') state = event
    if (event.kind === 'text' || wantsSteps)
      await stream.send(chunk({ content: event.kind === 'text' ? event.text : '' }))
    // A step is told once; later chunks of the same step say only what is still masked.
    state = { ...state, set: [], takenBack: [] }
  }
  throw new Error('the reply has no end')
}
