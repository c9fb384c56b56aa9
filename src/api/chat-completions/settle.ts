import type { CallUse, Ticket } from '../../accounts/accounts.ts'
import type { EngineUsage } from '../../engine/messages.ts'
import type { Call } from '../call.ts'
import type { Deps } from '../deps.ts'
import { toApiError, type ApiError } from '../errors.ts'
import type { ChatRequest } from './parse-request.ts'

export type Admitted = {
  ticket: Ticket
  call: Call
  request: ChatRequest
  /** Has a byte of the answer left? From then on the call counts, whatever happens. */
  begun: boolean
}

/** Before the last byte goes out: the caller's next call must find its place free. */
export function settleServed(usage: EngineUsage, admitted: Admitted, deps: Pick<Deps, 'clock' | 'metrics'>): void {
  const { call, ticket } = admitted
  Object.assign(call.facts, {
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    steps: usage.steps,
    firstTokenMs: usage.firstTokenMs,
    outcome: 'served',
  })
  deps.metrics.reply(admitted.request.model, usage)
  ticket.settle({ ...useOf(admitted, deps), status: 200, outcome: 'served' })
}

/**
 * Ends a call that failed and returns the error to answer with. A caller who left has spent the call; what was refused or
 * broke on our side before the first byte is given back.
 */
export function settleFailure(thrown: unknown, admitted: Admitted, deps: Pick<Deps, 'clock' | 'metrics'>): ApiError {
  const { call, ticket, begun } = admitted
  const error = toApiError(call.signal.aborted ? call.signal.reason : thrown)
  const outcome = error.code === 'client_left' ? 'cancelled' : 'failed'
  call.facts.outcome = outcome
  const use = { ...useOf(admitted, deps), status: begun ? 200 : error.status, outcome } as const
  if (begun || outcome === 'cancelled') ticket.settle(use)
  else ticket.refund(use)
  return error
}

function useOf({ call, request }: Admitted, deps: Pick<Deps, 'clock'>): Omit<CallUse, 'status' | 'outcome'> {
  return {
    requestId: call.requestId,
    model: request.model,
    user: request.user,
    promptTokens: call.facts.promptTokens ?? 0,
    completionTokens: call.facts.completionTokens ?? 0,
    steps: call.facts.steps ?? 0,
    durationMs: deps.clock.monotonicMs() - call.startedMs,
  }
}
