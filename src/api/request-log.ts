import type { Log } from '../lib/log.ts'
import type { Call } from './call.ts'

/** One line a request: never its prompt, its reply or its key. */
export function logRequest(log: Log, call: Call, status: number, ms: number): void {
  const { facts } = call
  log.info('request', {
    requestId: call.requestId,
    keyId: call.key?.id,
    method: call.method,
    route: call.route,
    status,
    ms: Math.round(ms * 10) / 10,
    model: facts.model,
    promptTokens: facts.promptTokens,
    completionTokens: facts.completionTokens,
    steps: facts.steps,
    firstTokenMs: facts.firstTokenMs,
    partial: facts.partial,
    outcome: facts.outcome,
    error: facts.error,
    reason: facts.reason,
  })
}
