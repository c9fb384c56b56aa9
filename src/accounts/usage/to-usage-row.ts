import type { CallUse, Scope } from '../accounts.ts'
import type { UsageRow } from '../store/schema.ts'

const END_USER_CHARACTERS_MAX = 256

/** counted: whether the day's count stands (a refunded call's does not). */
export function toUsageRow(
  call: { id: string; at: number; accountId: string; keyId: string; scope: Scope; counted: boolean },
  use: CallUse,
): UsageRow {
  return {
    id: call.id,
    at: call.at,
    account_id: call.accountId,
    key_id: call.keyId,
    scope: call.scope,
    model: use.model ?? null,
    request_id: use.requestId,
    status: use.status,
    end_user: use.user === undefined ? null : endUser(use.user),
    outcome: use.outcome,
    counted: call.counted ? 1 : 0,
    prompt_tokens: use.promptTokens,
    completion_tokens: use.completionTokens,
    steps: use.steps,
    duration_ms: Math.round(use.durationMs),
  }
}

/** Cut between characters, and without NUL, which PostgreSQL's text does not hold. */
function endUser(user: string): string {
  return user
    .slice(0, END_USER_CHARACTERS_MAX)
    .replaceAll('\0', '')
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed()
}
