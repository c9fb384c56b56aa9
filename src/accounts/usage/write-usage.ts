import { query } from '../store/query.ts'
import type { UsageHourRow, UsageRow } from '../store/schema.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { sumHours } from './sum-hours.ts'

/** Old lines go in small portions, one with every batch, so that no call waits long. */
const DELETED_AT_ONCE = 1_000

/** One transaction: the calls, their hourly sums, the keys' times of last use; and old calls out. */
export function writeUsage(
  sqlite: Sqlite,
  batch: { rows: readonly UsageRow[]; touched: ReadonlyMap<string, number>; deleteBefore: number },
): void {
  sqlite.transaction(() => {
    for (const row of batch.rows) sqlite.run(query.insertInto('usage_call').values(row))
    for (const hour of sumHours(batch.rows)) addHour(sqlite, hour)
    for (const [id, at] of [...batch.touched].sort(byText)) {
      sqlite.run(query.updateTable('api_key').set({ last_used_at: at }).where('id', '=', id))
    }
    const old = query.selectFrom('usage_call').select('id').where('at', '<', batch.deleteBefore)
    sqlite.run(query.deleteFrom('usage_call').where('id', 'in', old.orderBy('at').limit(DELETED_AT_ONCE)))
  })
}

function addHour(sqlite: Sqlite, row: UsageHourRow): void {
  sqlite.run(
    query
      .insertInto('usage_hour')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'hour', 'key_id', 'scope', 'model']).doUpdateSet((eb) => ({
          calls: eb('usage_hour.calls', '+', row.calls),
          failed: eb('usage_hour.failed', '+', row.failed),
          prompt_tokens: eb('usage_hour.prompt_tokens', '+', row.prompt_tokens),
          completion_tokens: eb('usage_hour.completion_tokens', '+', row.completion_tokens),
          steps: eb('usage_hour.steps', '+', row.steps),
          duration_ms: eb('usage_hour.duration_ms', '+', row.duration_ms),
        })),
      ),
  )
}

function byText(a: readonly [string, number], b: readonly [string, number]): number {
  return a[0] < b[0] ? -1 : 1
}
