import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { UsageRow } from '../store/schema.ts'
import type { Sqlite } from '../store/sqlite.ts'
import { UsageWriter } from './usage-writer.ts'
import { writeUsage } from './write-usage.ts'

const DAY_MS = 86_400_000
const TOUCH_MS = 60_000

export type UsageLog = {
  add(row: UsageRow): void
  /** Notes that the key was used now, at most once a minute. lastUsedAt: as the store has it. */
  touch(keyId: string, lastUsedAt: number | undefined): void
  /** Writes what waits. */
  close(): void
}

export type UsageRules = {
  usageFlushMs: number
  usageBatchRows: number
  usageKeepDays: number
  clock: Clock
  log: Log
}

export function openUsageLog(sqlite: Sqlite, rules: UsageRules): UsageLog {
  const { clock, log, usageKeepDays } = rules
  const writer = new UsageWriter<UsageRow>(
    (rows, touched) => writeUsage(sqlite, { rows, touched, deleteBefore: clock.now() - usageKeepDays * DAY_MS }),
    { waitMs: rules.usageFlushMs, rowsMax: rules.usageBatchRows },
    log,
  )
  return {
    add: (row) => writer.add(row),
    touch: (keyId, lastUsedAt) => {
      const now = clock.now()
      if (lastUsedAt === undefined || now - lastUsedAt >= TOUCH_MS) writer.touch(keyId, now)
    },
    close: () => writer.close(),
  }
}
