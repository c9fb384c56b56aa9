import { Type } from 'typebox'
import type { Answer } from '../answer.ts'
import type { Call } from '../call.ts'
import type { Deps } from '../deps.ts'
import { ApiError } from '../errors.ts'

export const statusSchema = Type.Object({ status: Type.Enum(['ok', 'ready']) })

/** The process lives and answers. Tells nothing else. */
export function handleHealth(): Answer {
  return { kind: 'json', body: { status: 'ok' } }
}

/** All bound models are loaded and the server is not closing; else 503. */
export function handleReady(_call: Call, deps: Deps): Answer {
  if (deps.closing()) throw new ApiError('closing')
  if (deps.engine.health().state !== 'ready') throw new ApiError('not_ready')
  return { kind: 'json', body: { status: 'ready' } }
}
