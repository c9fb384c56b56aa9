import type { GenerateEvent } from '../../engine/messages.ts'
import { ApiError } from '../errors.ts'
import { retryHeaders } from '../headers.ts'

type Failed = Extract<GenerateEvent, { kind: 'failed' }>

/** What the engine says went wrong, as the caller is told it. */
export function toReplyError(failed: Failed, model: string, models: readonly string[]): ApiError {
  const { reason, detail } = failed
  switch (reason) {
    case 'unknown_model':
      return unknownModel(model, models)
    case 'prompt_too_long':
      return new ApiError('request_failed', { param: 'messages', detail })
    case 'template_refused':
      return new ApiError('invalid_request', {
        param: 'messages',
        text: `The model's template refused the messages: ${detail}`,
      })
    case 'overloaded':
      return new ApiError('overloaded', { headers: retryHeaders(secondsOf(detail) * 1000) }, 'engine')
    case 'timed_out':
      return new ApiError('timed_out', {}, 'engine')
    case 'engine_failed':
      return new ApiError('engine_failed', {}, detail)
    case 'cancelled':
      return new ApiError('client_left')
  }
}

/** `detail` of `overloaded` is the seconds to wait; anything unreadable is one second. */
function secondsOf(detail: string): number {
  const seconds = Number.parseFloat(detail)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 3600) : 1
}

export function unknownModel(model: string, ids: readonly string[]): ApiError {
  const text = `model is ${JSON.stringify(model.slice(0, 80))}; allowed: ${ids.join(', ')}.`
  return new ApiError('invalid_request', { param: 'model', text })
}
