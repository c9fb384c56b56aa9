import type { CallUse } from '../../accounts/accounts.ts'
import type { SearchAnswer, SearchRequest } from '../../search/search.ts'
import type { Call } from '../call.ts'
import type { Deps } from '../deps.ts'
import { toApiError } from '../errors.ts'
import { admit, requireAddress, requireScope } from '../permit.ts'

/** May they, spend, search. Without a key (the guard has let it in) nothing is spent: the address's own limit has counted. */
export async function runSearch(request: SearchRequest, call: Call, deps: Deps): Promise<SearchAnswer> {
  const { key } = call
  if (key === undefined) return timed(request, call, deps)
  requireScope(key, 'search')
  requireAddress(key, call.address, deps)
  const ticket = await admit(call, 'search', deps)
  try {
    const answer = await timed(request, call, deps)
    call.facts.outcome = 'served'
    ticket.settle({ ...useOf(call, deps), status: 200, outcome: 'served' })
    return answer
  } catch (thrown) {
    const error = toApiError(call.signal.aborted ? call.signal.reason : thrown)
    const cancelled = error.code === 'client_left'
    call.facts.outcome = cancelled ? 'cancelled' : 'failed'
    const use = { ...useOf(call, deps), status: error.status, outcome: call.facts.outcome }
    if (cancelled) ticket.settle(use)
    else ticket.refund(use)
    // As it was thrown: a failure of ours keeps its stack for the log.
    throw call.signal.aborted ? error : thrown
  }
}

async function timed(request: SearchRequest, call: Call, deps: Deps): Promise<SearchAnswer> {
  const startedMs = deps.clock.monotonicMs()
  const answer = await deps.search.search(request, call.signal)
  call.signal.throwIfAborted()
  call.facts.partial = answer.partial
  deps.metrics.searched((deps.clock.monotonicMs() - startedMs) / 1000, answer.partial)
  return answer
}

function useOf(call: Call, deps: Deps): Omit<CallUse, 'status' | 'outcome'> {
  return {
    requestId: call.requestId,
    model: undefined,
    user: undefined,
    promptTokens: 0,
    completionTokens: 0,
    steps: 0,
    durationMs: deps.clock.monotonicMs() - call.startedMs,
  }
}
