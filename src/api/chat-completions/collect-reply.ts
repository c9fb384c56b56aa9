import type { EngineUsage } from '../../engine/messages.ts'
import { ApiError } from '../errors.ts'
import type { Reply } from './reply.ts'

/** The whole text of a reply. */
export async function collectReply(
  reply: Reply,
): Promise<{ text: string; finish: 'stop' | 'length'; usage: EngineUsage }> {
  const texts: string[] = []
  for await (const event of reply.events) {
    if (event.kind === 'text') texts.push(event.text)
    if (event.kind === 'done') return { text: texts.join(''), finish: event.finish, usage: event.usage }
  }
  throw new ApiError('engine_failed', {}, 'the reply has no end')
}
