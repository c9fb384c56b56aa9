import type { UsageHourRow, UsageRow } from '../store/schema.ts'

const HOUR_MS = 3_600_000

/** The calls' sums by account, key, scope, model and hour, sorted: two writers never meet in opposite order. */
export function sumHours(rows: readonly UsageRow[]): UsageHourRow[] {
  const sums = new Map<string, UsageHourRow>()
  for (const row of rows) {
    const hour = Math.floor(row.at / HOUR_MS) * HOUR_MS
    const name = JSON.stringify([row.account_id, hour, row.key_id, row.scope, row.model])
    const sum = sums.get(name) ?? emptySum(row, hour)
    sum.calls += 1
    sum.failed += row.outcome === 'failed' ? 1 : 0
    sum.prompt_tokens += row.prompt_tokens
    sum.completion_tokens += row.completion_tokens
    sum.steps += row.steps
    sum.duration_ms += row.duration_ms
    sums.set(name, sum)
  }
  return [...sums].sort((a, b) => (a[0] < b[0] ? -1 : 1)).map(([, sum]) => sum)
}

function emptySum(row: UsageRow, hour: number): UsageHourRow {
  const owner = { account_id: row.account_id, key_id: row.key_id, scope: row.scope, model: row.model ?? '', hour }
  return { ...owner, calls: 0, failed: 0, prompt_tokens: 0, completion_tokens: 0, steps: 0, duration_ms: 0 }
}
